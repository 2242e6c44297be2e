/* Any bytes as an ncu report or export: an error of one line, or results whose pages can all be written. */
#include <string.h>

#include "read/ncu/facts.h"
#include "read/ncu/hotspot.h"
#include "read/ncu/ncu.h"
#include "read/ncu/raw.h"
#include "read/ncu/section.h"
#include "read/ncu/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct ncu_report r;
	struct err e = {0};
	struct buf b;
	buf_init(&b);
	if (ncu_open_bytes(&r, "fuzz", (struct str){(const char *)p, n}, &e)) {
		struct fact_set facts;
		struct sheet sheet;
		hotspot_lines(&r, &sheet, &r.arena);
		hotspot_sass(&r, &sheet, &r.arena);
		ncu_raw_csv(&r, &b, NULL, NULL);
		ncu_details_text(&r, &b);
		ncu_summary_text(&r, &b);
		fact_set_init(&facts, &r.arena, "ncu");
		ncu_facts(&r, &facts, true);
		json_write(&b, fact_set_json(&facts, &r.arena), JSON_COMPACT);
	} else if (e.code == ERR_NONE || strchr(e.text, '\n')) {
		BUG("refused without a line");
	}
	ncu_release(&r);
	buf_release(&b);
	return 0;
}
