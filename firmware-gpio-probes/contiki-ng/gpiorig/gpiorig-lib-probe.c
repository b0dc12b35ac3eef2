/** The probe library is part of this module: src/probe.c. */
#include "../../src/probe.c"
