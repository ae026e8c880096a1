#include "CMainLoop.h"
