#pragma once

// Most of what is defined here takes the place of a function of the same name, and is not called by ours.

/// Takes values out of the command line that other processes see in `/proc`: of each argument, what follows its first
/// colon or equals sign. The journal adds that command line to each entry of the process, and the arguments of
/// 'xcallback' hold URLs with their secrets. The arguments must have been copied before, and be the process's own.
void xcb_hide_values(void);

/// The rounding of the C library's functions without the prefix, which these replace.
double xcb_ceil(double x);
double xcb_floor(double x);
double xcb_rint(double x);
double xcb_round(double x);
double xcb_trunc(double x);
