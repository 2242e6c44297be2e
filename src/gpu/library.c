/* Opens a vendor's library (CUDA driver, NVML, CUPTI) at run time and looks its symbols up.
 * In: names to try in order; symbol names.
 * Out: the handle and the path of the file that the loader chose; function pointers.
 * Never: calls into the library, prints, falls back silently (every name tried stands in the error). */
#include "gpu/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

bool library_open(struct library *out, const char *const *names, size_t n, const char *what, struct err *e)
{
	char why[256] = "no name to try", tried[512] = "";
	size_t n_tried = 0, n_failed = 0;
	memset(out, 0, sizeof *out);
	for (size_t i = 0; i < n && !out->lib; i++) {
		if (!names[i])
			continue;
		out->lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		if (out->lib)
			break;
		const char *text = dlerror();
		if (n_failed++ == 0) {
			snprintf(why, sizeof why, "%s", text ? text : names[i]);
			continue;
		}
		size_t room = sizeof tried - n_tried;
		int k = snprintf(tried + n_tried, room, "%s%s", n_tried ? ", " : "; also tried ", names[i]);
		n_tried += k < 0 ? 0 : (size_t)k < room ? (size_t)k : room - 1;
	}
	if (!out->lib)
		return err_set(e, ERR_ENVIRONMENT, "%s: %s%s", what, why, tried);
	struct link_map *map = NULL;
	if (dlinfo(out->lib, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name)
		snprintf(out->path, sizeof out->path, "%s", map->l_name);
	return true;
}

bool library_symbol(void *lib, const char *symbol, const char *older, void *out)
{
	void *p = dlsym(lib, symbol);
	if (!p && older[0])
		p = dlsym(lib, older);
	memcpy(out, &p, sizeof p); /* ISO C has no conversion from an object pointer to a function pointer */
	return p != NULL;
}
