/** The probe library is part of this module: src/notes.c. */
#include "../../src/notes.c"
