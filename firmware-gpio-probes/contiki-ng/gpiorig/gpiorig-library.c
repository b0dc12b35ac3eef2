/** The probe library, as one file of this module. */
#include "../../src/probe.c"
