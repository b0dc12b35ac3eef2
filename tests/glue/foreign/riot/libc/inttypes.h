/* ISO C 7.8, for 16-bit int and 32-bit long */
#include <stdint.h>

#define PRIu32 "lu"
#define PRIx32 "lx"
