#include <stdint.h>

// The names of Unicode characters take half a megabyte and are not used here. Release builds are linked with the option
// '--wrap', so that this function replaces the one in Swift's runtime that contains them.

intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity) {
    (void)scalar, (void)buffer, (void)capacity;
    return 0;
}
