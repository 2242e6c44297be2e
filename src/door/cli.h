/* The argv door: a command line to a verb, its record to stdout, its error to stderr. */
#ifndef ASSAY_DOOR_CLI_H
#define ASSAY_DOOR_CLI_H

#include "base/err.h"

/* Runs the command line; returns the exit status. */
int cli_main(int argc, char **argv);

#endif
