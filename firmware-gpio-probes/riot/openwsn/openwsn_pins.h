/**
 * OpenWSN's debug pins on lines that the symbol bus leaves free, read as span lines. Included before RIOT's defaults
 * (pkg/openwsn/include/openwsn_debugpins_params.h); pins that a board has not got stay undefined. Each can be overridden.
 *
 * In the bench file, FRAME is "slot.frame" in level changes, one a slotframe; the others are spans:
 *     SLOT "slot.active"   FSM "timer.fire"   TASK "task.run"   ISR "isr.other"   RADIO "isr.radio"
 * GPIO_PIN(x, y) and PORT_x are RIOT's; nothing is expanded before periph/gpio.h is there.
 */
#ifndef OPENWSN_PINS_H
#define OPENWSN_PINS_H

#if defined BOARD_IOTLAB_M3
/* Two pins of the connector are free: GPIO_1 (PA3) and GPIO_3 (PC11). */
#ifndef OPENWSN_DEBUGPIN_SLOT
#define OPENWSN_DEBUGPIN_SLOT GPIO_PIN(PORT_A, 3)
#endif
#ifndef OPENWSN_DEBUGPIN_TASK
#define OPENWSN_DEBUGPIN_TASK GPIO_PIN(PORT_C, 11)
#endif
#elif defined BOARD_NUCLEO_L476RG
/* Port C beside the bus (PC2, PC3, PC8) and the radio's interrupt (PC7). */
#ifndef OPENWSN_DEBUGPIN_FRAME
#define OPENWSN_DEBUGPIN_FRAME GPIO_PIN(PORT_C, 0)
#endif
#ifndef OPENWSN_DEBUGPIN_SLOT
#define OPENWSN_DEBUGPIN_SLOT GPIO_PIN(PORT_C, 1)
#endif
#ifndef OPENWSN_DEBUGPIN_FSM
#define OPENWSN_DEBUGPIN_FSM GPIO_PIN(PORT_C, 4)
#endif
#ifndef OPENWSN_DEBUGPIN_TASK
#define OPENWSN_DEBUGPIN_TASK GPIO_PIN(PORT_C, 5)
#endif
#ifndef OPENWSN_DEBUGPIN_ISR
#define OPENWSN_DEBUGPIN_ISR GPIO_PIN(PORT_C, 6)
#endif
#ifndef OPENWSN_DEBUGPIN_RADIO
#define OPENWSN_DEBUGPIN_RADIO GPIO_PIN(PORT_C, 9)
#endif
#elif defined BOARD_TELOSB
/* P6.7 and the expansion connector's GIO2, GIO3. RIOT gives port 6 to the ADC: gpiorig_init() takes it back. */
#ifndef OPENWSN_DEBUGPIN_SLOT
#define OPENWSN_DEBUGPIN_SLOT GPIO_PIN(P6, 7)
#endif
#ifndef OPENWSN_DEBUGPIN_FSM
#define OPENWSN_DEBUGPIN_FSM GPIO_PIN(P2, 3)
#endif
#ifndef OPENWSN_DEBUGPIN_TASK
#define OPENWSN_DEBUGPIN_TASK GPIO_PIN(P2, 6)
#endif
#endif

#endif
