// Swift's runtime finds what is defined here by its name; there is nothing to call.
#pragma once
