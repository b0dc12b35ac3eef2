/** The probe library is part of this module: src/mask.c. */
#include "../../src/mask.c"
