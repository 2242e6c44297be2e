/* The embedded documents.
 * In: a number or a path. Out: the file's bytes.
 * The table is made by tools/documents.sh when the program is built.
 * Never: reads a file. */
#include "knowledge/document.h"

struct embedded {
	const char *path, *text;
	uint64_t n;
};
extern const struct embedded knowledge_documents[];

bool document_at(struct document *out, size_t i)
{
	for (size_t k = 0; k <= i; k++) {
		if (!knowledge_documents[k].path)
			return false;
	}
	*out = (struct document){knowledge_documents[i].path, {knowledge_documents[i].text, knowledge_documents[i].n}};
	return true;
}

bool document_find(struct document *out, struct str path)
{
	for (size_t i = 0; document_at(out, i); i++) {
		if (str_is(path, out->path))
			return true;
	}
	return false;
}
