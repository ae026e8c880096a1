#include "CArguments.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The programs need only rounding from libm, but Swift's library refers to the functions for all its floating-point types.
// The loader would map libm and look up each of them at every start. The definitions here keep it out.

// Values from LIMIT on are integers. Smaller values fit in 64 bits, even after the additions below.
#define ROUNDING(type, suffix, limit) \
    type xcb_ceil##suffix(type), xcb_floor##suffix(type), xcb_rint##suffix(type), xcb_round##suffix(type), \
        xcb_trunc##suffix(type); \
    type xcb_trunc##suffix(type x) { \
        if (!(x < limit && x > -limit)) return x; \
        return __builtin_copysign##suffix((type)(int64_t)x, x); \
    } \
    type xcb_ceil##suffix(type x) { \
        type whole = xcb_trunc##suffix(x); \
        return whole < x ? whole + 1 : whole; \
    } \
    type xcb_floor##suffix(type x) { \
        type whole = xcb_trunc##suffix(x); \
        return whole > x ? whole - 1 : whole; \
    } \
    type xcb_round##suffix(type x) { \
        type whole = xcb_trunc##suffix(x); \
        type rest = __builtin_fabs##suffix(x - whole); \
        return rest >= (type)0.5 ? whole + __builtin_copysign##suffix(1, x) : whole; \
    } \
    type xcb_rint##suffix(type x) { \
        type whole = xcb_trunc##suffix(x); \
        type rest = __builtin_fabs##suffix(x - whole); \
        int is_next = rest > (type)0.5 || (rest == (type)0.5 && ((int64_t)whole & 1)); \
        return is_next ? whole + __builtin_copysign##suffix(1, x) : whole; \
    }

ROUNDING(float, f, 0x1p23f)
ROUNDING(double, , 0x1p52)
#if __LDBL_MANT_DIG__ == 64
ROUNDING(long double, l, 0x1p63L)
#endif

// Debug builds share their process with tests, which use all of libm.
#ifndef DEBUG

__attribute__((noreturn)) static void refuse(void) {
    dprintf(STDERR_FILENO, "This program is linked without mathematics (Mathematics.c).\n");
    abort();
}

#define FUNCTION(name, target) __attribute__((weak, alias(target))) void function_##name(void) __asm__(#name);
#define REFUSED(name) FUNCTION(name, "refuse") FUNCTION(name##f, "refuse") FUNCTION(name##l, "refuse")
#if __LDBL_MANT_DIG__ == 64
#define ROUNDED(name, target) \
    FUNCTION(name, "xcb_" target) FUNCTION(name##f, "xcb_" target "f") FUNCTION(name##l, "xcb_" target "l")
#else
#define ROUNDED(name, target) FUNCTION(name, "xcb_" target) FUNCTION(name##f, "xcb_" target "f")
#endif

ROUNDED(ceil, "ceil")
ROUNDED(floor, "floor")
ROUNDED(nearbyint, "rint")
ROUNDED(rint, "rint")
ROUNDED(round, "round")
ROUNDED(trunc, "trunc")
REFUSED(cos)
REFUSED(exp)
REFUSED(exp2)
REFUSED(fma)
REFUSED(fmod)
REFUSED(log)
REFUSED(log10)
REFUSED(log2)
REFUSED(remainder)
REFUSED(sin)
REFUSED(sqrt)

#endif
