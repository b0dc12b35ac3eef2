/**
 * The macros that TSCH leaves to whoever debugs it; gpiorig-tsch.c says what they become. Read before every file of the project,
 * by -imacros: Contiki-NG also sends its linker scripts through the preprocessor, so nothing but macros may stand here.
 */
#ifndef GPIORIG_CONF_H
#define GPIORIG_CONF_H

#define GPIORIG_TSCH(function)      \
    do {                            \
        extern void function(void); \
        function();                 \
    } while (0)

/* Expanded by os/net/mac/tsch/tsch-slot-operation.c. */
#define TSCH_DEBUG_INIT() GPIORIG_TSCH(gpiorig_tsch_started)
#define TSCH_DEBUG_INTERRUPT() GPIORIG_TSCH(gpiorig_tsch_interrupted)
#define TSCH_DEBUG_SLOT_START() GPIORIG_TSCH(gpiorig_tsch_slot_started)
#define TSCH_DEBUG_SLOT_END() GPIORIG_TSCH(gpiorig_tsch_slot_ended)
#define TSCH_DEBUG_TX_EVENT() GPIORIG_TSCH(gpiorig_tsch_tx)
#define TSCH_DEBUG_RX_EVENT() GPIORIG_TSCH(gpiorig_tsch_rx)

#endif
