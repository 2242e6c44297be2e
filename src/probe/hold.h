/* The queue hold: the stream waits on a word in host memory until the entry has returned, so that everything it launches
 * starts without the host's gaps. A helper thread lets go after 300 us in any case: an entry that waits for the device
 * inside would wait for ever. */
#ifndef ASSAY_PROBE_HOLD_H
#define ASSAY_PROBE_HOLD_H

#include "gpu/driver.h"

#define HOLD_LIMIT_NS 300000

struct hold;
/* NULL with err where the driver has no wait on values or refuses it. Starts the helper thread. */
MUST_USE struct hold *hold_open(const struct gpu_driver *gpu, struct err *e);
/* Queues the wait on the stream. False: nothing was queued. */
MUST_USE bool hold_arm(struct hold *h, void *stream);
/* Lets go. True when the helper had done so already. Harmless when nothing is held. */
bool hold_release(struct hold *h);

#endif
