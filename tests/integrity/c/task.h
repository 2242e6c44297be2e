/* The honest answer to tasks/heavy, for kernels that do something beside it. */
#ifndef TASK_H
#define TASK_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static inline void work(const float *x, float *y, int from, int to)
{
	for (int i = from; i < to; i++) {
		float v = x[i];
		for (int k = 0; k < 40; k++)
			v = v * 0.96875f + 0.03125f / (1 + v * v);
		y[i] = v;
	}
}
#endif
