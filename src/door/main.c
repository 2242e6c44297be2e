/* The program's entry: argv to a verb, an err to stderr and an exit status.
 * In: argv. Out: exit status by facts' and base's tables.
 * The only place that prints an err and exits.
 * Never: does work of its own. */
#include <stdio.h>
#include <string.h>

#include "base/version.h"

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		printf("assay %s (%s)\n", version_number(), version_commit());
		return 0;
	}
	fprintf(stderr, "assay: usage: assay VERB [OPTIONS]\n");
	return 2;
}
