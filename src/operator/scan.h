/* Reading up to, but not including, sizes: what operator_read and check share. */
#ifndef ASSAY_OPERATOR_SCAN_H
#define ASSAY_OPERATOR_SCAN_H

#include "operator/opfile.h"
#include "operator/operator.h"
#include "operator/python.h"
#include "operator/source.h"

enum scan_stage { /* how far it got; the error belongs to the next one */
		  SCAN_NOTHING,
		  SCAN_INPUTS,  /* backend, kernel text and operator file are read */
		  SCAN_TEXT,    /* the kernel's text has been understood: source or python is filled */
		  SCAN_ENTRY,   /* an entry was chosen and its parameters are understood */
		  SCAN_OPERATOR /* roles, reference: everything but the cases */
};
struct scan_result {
	enum scan_stage stage;
	bool no_entry; /* stage SCAN_TEXT: there is none, or none that can be used; else one that was not understood */
	struct operator op;
	struct str text;             /* of the kernel file */
	struct source source;        /* .c, .cu */
	struct python_source python; /* .py */
	struct opfile file;          /* path NULL: none */
	struct opt_dims defaults;    /* whole-number defaults of a .py's setup() */
};

/* Fills `out` as far as it gets; false with the reason where it stops. */
MUST_USE bool scan_operator(struct scan_result *out, struct arena *a, const struct operator_input *in, struct err *e);

#endif
