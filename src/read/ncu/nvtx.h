/* NVTX ranges that were open when a result was collected. */
#ifndef ASSAY_READ_NCU_NVTX_H
#define ASSAY_READ_NCU_NVTX_H

#include "base/json.h"
#include "read/ncu/ncu.h"

struct ncu_nvtx_range {
	struct str domain, name;
	uint32_t thread; /* push/pop: the thread; start/end: the thread that started it */
	uint64_t id;     /* start/end only */
	bool is_start_end;
	struct str attributes; /* message: category, colour, payload, message */
};
/* Outer ranges first; NULL and *n 0 when there are none (or the report is a CSV). */
struct ncu_nvtx_range *ncu_nvtx(const struct ncu_result *res, struct arena *a, size_t *n);
/* The two NVTX cells of ncu's tables: `TID  "domain:name:payload type:..." ` and ` "id:domain:name:..." `. Of a CSV: as
 * given. Either may be empty. */
void ncu_nvtx_cells(const struct ncu_result *res, struct buf *push, struct buf *start);
#define NCU_NVTX_PUSH "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"
#define NCU_NVTX_START "Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"

#endif
