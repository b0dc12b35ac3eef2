/** Entry and exit of every interrupt, without a change to its handler (vectors.c). */
#ifndef GPIORIG_VECTORS_H
#define GPIORIG_VECTORS_H

/** Copies the vectors to RAM and hangs the probes in. After gpiorig_init(), before interrupts matter. */
void gpiorig_vectors_init(void);

#endif
