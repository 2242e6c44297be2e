/* Where skills go: the layout of a client, or the published one; and the client's list of MCP servers. */
#ifndef ASSAY_VERB_SKILLS_PLACE_H
#define ASSAY_VERB_SKILLS_PLACE_H

#include "base/err.h"
#include "base/json.h"
#include "knowledge/document.h"

struct skills_place {
	const char *name;     /* "claude", ..., "dir" */
	const char *folder;   /* skills stand here, below the project or the home */
	const char *settings; /* file with the MCP servers; NULL: none */
	bool is_flat;         /* one folder a skill; else the published layout */
};
const struct skills_place *skills_place_find(const char *name);
/* Where a document goes in that layout, and its text with links as they are there. */
void skills_place_document(const struct skills_place *p, const struct document *d, struct arena *a, const char **path,
			   struct str *text);
/* Puts the server "assay" into the settings file, or takes it out; other entries stay. *changed: whether it was written. */
MUST_USE bool skills_register(const char *path, const char *program, bool *changed, struct arena *a, struct err *e);
MUST_USE bool skills_unregister(const char *path, bool *changed, struct arena *a, struct err *e);

#endif
