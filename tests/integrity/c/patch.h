/* Overwrites a function of the program that loaded this object, found by its name in the program's own file. */
#ifndef PATCH_H
#define PATCH_H
#include <elf.h>

#include "task.h"

static char *load_base(void)
{
	char line[512], exe[256] = "";
	char *base = NULL;
	FILE *f = fopen("/proc/self/maps", "r");
	if (!f || readlink("/proc/self/exe", exe, sizeof(exe) - 1) <= 0)
		return NULL;
	while (!base && fgets(line, sizeof(line), f)) /* a sanitizer's shadow lies before the program */
		if (strstr(line, exe))
			base = (char *)strtoull(line, NULL, 16);
	fclose(f);
	return base;
}

static void *find_function(const char *name)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	off_t n = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	char *file = n > 0 ? mmap(NULL, (size_t)n, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	if (file == MAP_FAILED)
		return NULL;
	const Elf64_Ehdr *e = (const void *)file;
	const Elf64_Shdr *s = (const void *)(file + e->e_shoff);
	for (int i = 0; i < e->e_shnum; i++) {
		const Elf64_Sym *sym = (const void *)(file + s[i].sh_offset);
		if (s[i].sh_type != SHT_SYMTAB)
			continue;
		for (size_t k = 0; k < s[i].sh_size / sizeof(*sym); k++)
			if (strcmp(file + s[s[i].sh_link].sh_offset + sym[k].st_name, name) == 0 && sym[k].st_value)
				return load_base() + sym[k].st_value;
	}
	return NULL;
}

static int patch(const char *name, const void *to)
{
	unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
	char *at = find_function(name);
	uintptr_t page = (uintptr_t)at & ~(uintptr_t)4095;
	memcpy(jump + 2, &to, 8);
	if (!at || mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return 0;
	memcpy(at, jump, sizeof(jump));
	return 1;
}
#endif
