// Overwrites the beginning of a function with a jump, and finds functions: of a library by name, of the program by the table of
// symbols in its own file.
#ifndef PATCH_CUH
#define PATCH_CUH
#include <elf.h>

#include "task.cuh"

static inline bool detour(void *function, void *to)
{
	unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
	char *at = (char *)function;
	memcpy(jump + 2, &to, 8);
	if (!at || mprotect((void *)((uintptr_t)at & ~(uintptr_t)4095), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return false;
	memcpy(at, jump, sizeof(jump));
	return true;
}

// libcupti under whichever name it is mapped
static inline void *cupti(const char *name)
{
	char line[4096];
	void *found = nullptr;
	FILE *f = fopen("/proc/self/maps", "r");
	while (f && !found && fgets(line, sizeof(line), f)) {
		char *path = strchr(line, '/');
		if (!path || !strstr(path, "libcupti"))
			continue;
		path[strcspn(path, "\n")] = 0;
		void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
		found = library ? dlsym(library, name) : nullptr;
	}
	if (f)
		fclose(f);
	return found;
}

static inline char *program_base()
{
	char line[4096], exe[1024] = "";
	char *base = nullptr;
	FILE *f = fopen("/proc/self/maps", "r");
	if (!f || readlink("/proc/self/exe", exe, sizeof(exe) - 1) <= 0)
		return nullptr;
	while (!base && fgets(line, sizeof(line), f))
		if (strstr(line, exe))
			base = (char *)strtoull(line, nullptr, 16);
	fclose(f);
	return base;
}

static inline void *of_program(const char *name)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	off_t n = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	char *file = n > 0 ? (char *)mmap(nullptr, (size_t)n, PROT_READ, MAP_PRIVATE, fd, 0) : (char *)MAP_FAILED;
	if (file == (char *)MAP_FAILED)
		return nullptr;
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)file;
	const Elf64_Shdr *s = (const Elf64_Shdr *)(file + e->e_shoff);
	for (int i = 0; i < e->e_shnum; i++) {
		const Elf64_Sym *sym = (const Elf64_Sym *)(file + s[i].sh_offset);
		if (s[i].sh_type != SHT_SYMTAB)
			continue;
		for (size_t k = 0; k < s[i].sh_size / sizeof(*sym); k++)
			if (strcmp(file + s[s[i].sh_link].sh_offset + sym[k].st_name, name) == 0 && sym[k].st_value)
				return program_base() + sym[k].st_value;
	}
	return nullptr;
}
#endif
