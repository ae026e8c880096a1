// The few functions of Swift's Glibc module that the programs use. The module is a single object file, which refers to a
// hundred functions of libm: the loader would look up each of them at every start. The definitions here keep it out,
// because the linker takes nothing from an archive that is already defined. If other functions of the module are needed
// one day, the whole object is linked, and takes precedence over these weak definitions.
//
// Debug builds use the module from a shared library.
#ifndef DEBUG

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define OVERLAY(type, name, symbol, ...) \
    type name(__VA_ARGS__) __asm__("$s5Glibc" symbol); \
    __attribute__((weak)) type name(__VA_ARGS__)

typedef void handler(int);

OVERLAY(int, get_error, "5errnos5Int32Vvg", void) { return errno; }
OVERLAY(void, set_error, "5errnos5Int32Vvs", int value) { errno = value; }
OVERLAY(char **, get_environment, "7environSpySpys4Int8VGSgGvg", void) { return environ; }
OVERLAY(handler *, default_handler, "7SIG_DFLys5Int32VXCSgvg", void) { return SIG_DFL; }
OVERLAY(handler *, ignoring_handler, "7SIG_IGNyys5Int32VXCvg", void) { return SIG_IGN; }
OVERLAY(void *, failed_mapping, "10MAP_FAILEDSvSgvg", void) { return MAP_FAILED; }

OVERLAY(int, open_file, "4openys5Int32VSPys4Int8VG_ADtF", const char *path, int flags) { return open(path, flags); }
OVERLAY(int, make_file, "4openys5Int32VSPys4Int8VG_ADs6UInt32VtF", const char *path, int flags, mode_t mode) {
    return open(path, flags, mode);
}
OVERLAY(int, open_below, "6openatys5Int32VAD_SPys4Int8VGADtF", int folder, const char *path, int flags) {
    return openat(folder, path, flags);
}
OVERLAY(int, control, "5fcntlys5Int32VAD_ADtF", int file, int command) { return fcntl(file, command); }
OVERLAY(int, control_value, "5fcntlys5Int32VAD_A2DtF", int file, int command, int value) {
    return fcntl(file, command, value);
}
OVERLAY(int, control_device, "5ioctlys5Int32VAD_SuSvtF", int file, unsigned long request, void *value) {
    return ioctl(file, request, value);
}

OVERLAY(mode_t, kind_mask, "6S_IFMTs6UInt32Vvg", void) { return S_IFMT; }
OVERLAY(mode_t, device, "7S_IFCHRs6UInt32Vvg", void) { return S_IFCHR; }
OVERLAY(mode_t, folder, "7S_IFDIRs6UInt32Vvg", void) { return S_IFDIR; }
OVERLAY(mode_t, symbolic_link, "7S_IFLNKs6UInt32Vvg", void) { return S_IFLNK; }
OVERLAY(mode_t, regular_file, "7S_IFREGs6UInt32Vvg", void) { return S_IFREG; }
OVERLAY(mode_t, socket_file, "8S_IFSOCKs6UInt32Vvg", void) { return S_IFSOCK; }
OVERLAY(mode_t, sticky, "7S_ISVTXs6UInt32Vvg", void) { return S_ISVTX; }

#endif
