// The messages of the probe, for kernels that speak in its place. Needs -I to the sources.
#ifndef WIRE_CUH
#define WIRE_CUH
#define export export_
extern "C" {
#include "wire/message.h"
}
#undef export
#include <sys/socket.h>

#include "patch.cuh"

// Calls f with every descriptor that is a socket of bytes: the probe's is among them.
template <class F> static inline void each_link(F f)
{
	for (int fd = 3; fd < 1024; fd++) {
		int type = 0;
		socklen_t n = sizeof(type);
		if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) == 0 && type == SOCK_STREAM)
			f(fd);
	}
}
#endif
