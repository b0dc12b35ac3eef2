/** What the applications use of Contiki-NG 5.0's os/lib/random.h. Declarations only, written for these tests. */
#ifndef LIB_RANDOM_H
#define LIB_RANDOM_H

void random_init(unsigned short seed);

#endif
