/* Fences around the tensors of a slot.
 * In: a mapped slot whose layout has pages between tensors. Out: memory protection, and a line on stderr at a fault.
 * The handler runs on a stack of its own and lets the instruction fault again, so that the parent sees the signal.
 * Never: keeps a process alive that touched what it may not. */
#include "probe/fence.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static struct { /* for the handler; one slot at a time */
	uintptr_t base;
	size_t bytes;
} fenced;

static void say_fault(int sig, siginfo_t *info, void *context)
{
	static const char line[] = "\n" FENCE_LINE;
	char digits[20];
	size_t n = sizeof(digits);
	uintptr_t at = (uintptr_t)info->si_addr;
	(void)context;
	digits[--n] = '\n';
	(void)!write(2, line, sizeof(line) - 1);
	if (at < fenced.base || at - fenced.base >= fenced.bytes) {
		(void)!write(2, "none\n", 5);
	} else {
		for (uintptr_t x = at - fenced.base; x || n == sizeof(digits) - 1; x /= 16)
			digits[--n] = "0123456789abcdef"[x % 16];
		(void)!write(2, digits + n, sizeof(digits) - n);
	}
	signal(sig, SIG_DFL);
}

static void watch_faults(void)
{
	static char stack[16384];
	stack_t s = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction a = {.sa_sigaction = say_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigemptyset(&a.sa_mask);
	if (sigaltstack(&s, NULL) != 0)
		return; /* without the line the signal alone says it */
	sigaction(SIGSEGV, &a, NULL);
	sigaction(SIGBUS, &a, NULL);
}

void fence_install(struct probe *p, size_t slot)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), base = p->slots[slot].base;
	uintptr_t from = base;
	fenced.base = base;
	fenced.bytes = p->slots[slot].bytes;
	for (size_t i = 0; i <= p->n_tensors; i++) {
		uintptr_t to = i < p->n_tensors ? base + p->tensors[i].offset : base + p->slots[slot].bytes;
		uintptr_t first = (from + page - 1) & ~(page - 1), last = to & ~(page - 1);
		if (last > first)
			mprotect((void *)first, last - first, PROT_NONE);
		if (i < p->n_tensors)
			from = to + p->tensors[i].bytes;
	}
	watch_faults();
}
