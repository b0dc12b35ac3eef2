/* RIOT core/lib/include/irq.h: irq_is_in; the others serve the stand-in. */
#ifndef RIOT_IRQ_H
#define RIOT_IRQ_H

#include <stdbool.h>

bool irq_is_in(void);
unsigned irq_disable(void);
void irq_restore(unsigned state);

#endif
