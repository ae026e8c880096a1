#pragma once

// Most of what is defined here takes the place of a function of the same name, and is not called by ours.

/// Takes values out of the command line that other processes see in `/proc`: of each argument, what follows its first
/// colon or equals sign. The journal adds that command line to each entry of the process, and the arguments of
/// 'xcallback' hold URLs with their secrets. The arguments must have been copied before, and be the process's own.
void xcb_hide_values(void);
