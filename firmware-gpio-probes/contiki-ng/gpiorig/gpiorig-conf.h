/** Included before every file of the project (Makefile.gpiorig): the macros that TSCH leaves to whoever debugs it. */
#ifndef GPIORIG_CONF_H
#define GPIORIG_CONF_H

/* os/net/mac/tsch/tsch-slot-operation.c expands these; gpiorig-tsch.c says what they become. */
void gpiorig_tsch_started(void);
void gpiorig_tsch_interrupted(void);
void gpiorig_tsch_slot_started(void);
void gpiorig_tsch_slot_ended(void);
void gpiorig_tsch_tx(void);
void gpiorig_tsch_rx(void);

#define TSCH_DEBUG_INIT() gpiorig_tsch_started()
#define TSCH_DEBUG_INTERRUPT() gpiorig_tsch_interrupted()
#define TSCH_DEBUG_SLOT_START() gpiorig_tsch_slot_started()
#define TSCH_DEBUG_SLOT_END() gpiorig_tsch_slot_ended()
#define TSCH_DEBUG_TX_EVENT() gpiorig_tsch_tx()
#define TSCH_DEBUG_RX_EVENT() gpiorig_tsch_rx()

#endif
