/// Counts what a program takes from the heap.
///
/// Whatever links this has the functions that allocate replaced by ones that count, and then do what those of glibc do.
#pragma once

/// How often the calling thread has allocated memory, or let an allocation grow, since it was started.
unsigned long xcb_allocation_count(void);
