#pragma once

// Declarations missing from Swift's Glibc.
#include <sys/epoll.h>
