/* Stand-in for bsp/boards/leds.h. */
#ifndef LEDS_H
#define LEDS_H

void leds_init(void);
void leds_radio_on(void);
void leds_radio_off(void);
void leds_sync_on(void);
void leds_sync_off(void);

#endif
