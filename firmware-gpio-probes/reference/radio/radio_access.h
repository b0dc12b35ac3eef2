/**
 * An access to the chip: its select line is low. Accesses are made by the actor that owns the driver; an interrupt that
 * wants one has to go through radio_when_free.
 */
#ifndef RADIO_ACCESS_H
#define RADIO_ACCESS_H

void radio_access_begin(void);
void radio_access_end(void);

/** From an interrupt: calls `act`, which may access the chip, at once, or when the access that was interrupted has ended. */
void radio_when_free(void (*act)(void));

#endif
