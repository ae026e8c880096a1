#pragma once

// What Swift's Glibc does not show.
#include <sys/epoll.h>
