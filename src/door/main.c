/* The program's entry.
 * In: argv. Out: exit status.
 * The command line belongs to door/cli.c; workers and keepers, which are this binary too, to the rooms that run them.
 * Never: does work of its own. */
#include "door/cli.h"

int main(int argc, char **argv)
{
	return cli_main(argc, argv);
}
