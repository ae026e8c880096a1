#ifndef DEBUG

#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// The relocation table takes most of a megabyte, and is not read again after the loader has applied it. It is mapped from
// the program's file, so its pages can be dropped. Debug builds keep them.

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

__attribute__((constructor)) static void release_relocations(void) {
    uintptr_t base = (uintptr_t)&__ehdr_start, page = (uintptr_t)getpagesize() - 1, start = 0, size = 0;
    for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_RELA) start = entry->d_un.d_ptr;
        if (entry->d_tag == DT_RELASZ) size = entry->d_un.d_val;
    }
    // Some loaders write the address into the entry, others do not.
    if (start < base) start += base;
    uintptr_t first = (start + page) & ~page, end = (start + size) & ~page;
    if (first < end) madvise((void *)first, end - first, MADV_DONTNEED);
}

#endif
