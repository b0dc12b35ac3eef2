/** Entry and exit of every interrupt, where Makefile.gpiorig says how many there are. */
#ifdef GPIORIG_IRQS
#include "../../cortex-m/vectors.c"
#else
typedef int gpiorig_has_no_vectors; /* ISO C wants a declaration in every file */
#endif
