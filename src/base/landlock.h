/* Landlock by raw system calls: the numbers of the kernel's ABI, newer than the headers that we build with.
 * Source: Documentation/userspace-api/landlock.rst and include/uapi/linux/landlock.h of Linux 6.12. */
#ifndef ASSAY_BASE_LANDLOCK_H
#define ASSAY_BASE_LANDLOCK_H

#include "base/attr.h"

#define LANDLOCK_NR_CREATE 444
#define LANDLOCK_NR_ADD 445
#define LANDLOCK_NR_RESTRICT 446
#define LANDLOCK_ASK_VERSION 1u

struct landlock_rules { /* landlock_ruleset_attr */
	uint64_t fs, net, scoped;
};
struct __attribute__((packed)) landlock_path { /* landlock_path_beneath_attr */
	uint64_t access;
	int32_t fd;
};
#define LANDLOCK_PATH_BENEATH 1

#define LL_EXECUTE (UINT64_C(1) << 0)
#define LL_WRITE_FILE (UINT64_C(1) << 1)
#define LL_READ_FILE (UINT64_C(1) << 2)
#define LL_READ_DIR (UINT64_C(1) << 3)
#define LL_REMOVE_DIR (UINT64_C(1) << 4)
#define LL_REMOVE_FILE (UINT64_C(1) << 5)
#define LL_MAKE_CHAR (UINT64_C(1) << 6)
#define LL_MAKE_DIR (UINT64_C(1) << 7)
#define LL_MAKE_REG (UINT64_C(1) << 8)
#define LL_MAKE_SOCK (UINT64_C(1) << 9)
#define LL_MAKE_FIFO (UINT64_C(1) << 10)
#define LL_MAKE_BLOCK (UINT64_C(1) << 11)
#define LL_MAKE_SYM (UINT64_C(1) << 12)
#define LL_REFER (UINT64_C(1) << 13)     /* ABI 2 */
#define LL_TRUNCATE (UINT64_C(1) << 14)  /* ABI 3 */
#define LL_IOCTL_DEV (UINT64_C(1) << 15) /* ABI 5 */
#define LL_TCP_BIND (UINT64_C(1) << 0)   /* ABI 4 */
#define LL_TCP_CONNECT (UINT64_C(1) << 1)
#define LL_SCOPE_ABSTRACT (UINT64_C(1) << 0) /* ABI 6 */
#define LL_SCOPE_SIGNAL (UINT64_C(1) << 1)

#define LL_ON_FILES (LL_EXECUTE | LL_WRITE_FILE | LL_READ_FILE | LL_TRUNCATE | LL_IOCTL_DEV)
#define LL_READ (LL_READ_FILE | LL_READ_DIR)
#define LL_WRITE                                                                                                       \
	(LL_WRITE_FILE | LL_TRUNCATE | LL_MAKE_DIR | LL_MAKE_REG | LL_MAKE_SYM | LL_MAKE_FIFO | LL_MAKE_SOCK |         \
	 LL_REMOVE_DIR | LL_REMOVE_FILE | LL_REFER)

#endif
