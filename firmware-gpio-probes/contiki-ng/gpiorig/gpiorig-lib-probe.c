/** The probe library is part of this module: src/probe.c. Its send routine is unrolled, which takes -O2, whatever the project says. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O2")
#endif
#include "../../src/probe.c"
