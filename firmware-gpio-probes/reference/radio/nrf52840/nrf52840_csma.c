/* The backoff of a radio that leaves it to the processor is the CC2420's. */
#include "../cc2420/cc2420_csma.c"
