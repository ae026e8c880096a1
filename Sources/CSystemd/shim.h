#pragma once
#include <systemd/sd-daemon.h>
// Without this, the functions are macros, which Swift does not import, and which record a place in this file.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>
