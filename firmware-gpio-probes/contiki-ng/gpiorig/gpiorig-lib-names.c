/** The probe library is part of this module: src/names.c. */
#include "../../src/names.c"
