#pragma once

// Most functions of this module replace a function with the same name, and are not called from other modules.

/// Removes values from the command line that other processes see in `/proc`: in each argument, the part after the first
/// colon or equals sign. The journal adds that command line to each entry of the process, and the arguments of
/// 'xcallback' contain URLs with secrets. The arguments must have been copied before, and must be the process's own.
void xcb_hide_values(void);

/// The rounding functions that replace those of the C library without the prefix.
double xcb_ceil(double x);
double xcb_floor(double x);
double xcb_rint(double x);
double xcb_round(double x);
double xcb_trunc(double x);
