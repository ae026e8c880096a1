#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// Functions that are newer than version 2.34 of the C library, as in RHEL 9. The definitions here replace them, so that a
// program built on a newer system runs there too.

/// Since 2.36, and since version 5.3 of the kernel.
int pidfd_open(pid_t process, unsigned int flags) {
    return (int)syscall(SYS_pidfd_open, process, flags);
}

#ifdef DLFO_EH_SEGMENT_TYPE

/// The address to find, and the result.
struct search {
    uintptr_t address;
    struct dl_find_object *result;
};

static int look(struct dl_phdr_info *object, size_t size, void *argument) {
    (void)size;
    struct search *search = argument;
    int is_there = 0;
    void *frame = NULL;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && search->address - start < segment->p_memsz) {
            is_there = 1;
            search->result->dlfo_map_start = (void *)start;
            search->result->dlfo_map_end = (void *)(start + segment->p_memsz);
        }
        if (segment->p_type == DLFO_EH_SEGMENT_TYPE) frame = (void *)start;
    }
    search->result->dlfo_eh_frame = frame;
    return is_there && frame;
}

/// Since 2.35: finds the unwind information of an address, for libgcc.
int _dl_find_object(void *address, struct dl_find_object *result) {
    struct search search = {(uintptr_t)address, result};
    *result = (struct dl_find_object){0};
    return dl_iterate_phdr(look, &search) ? 0 : -1;
}

#endif
