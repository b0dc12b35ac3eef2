/**
 * Lines that the PPI and GPIOTE drive from events of the radio, without an instruction of the processor (nRF52840 Product
 * Specification, "PPI", "GPIOTE", "RADIO"). They stay what they are until the next reset, whatever drives the radio.
 *     tap.frame_timestamp   high from FRAMESTART, the end of the length field, to PHYEND, of frames received and sent
 *     tap.tx_active         high from TXREADY, 1 us before the first bit where a shortcut starts the frame, to PHYEND or DISABLED
 *     radio_ready           high from READY to DISABLED: the receiver or the sender is ramped up
 *     radio_cca_idle        high from CCAIDLE to PHYEND or DISABLED
 *     radio_cca_busy        high from CCABUSY to the next READY
 * Each edge comes one period of 16 MHz, 62.5 ns, after its event (tEVTSET: nRF5340 PS, "POWER"). GPIOTE has channels 3 to 7
 * for this and the PPI 8 to 19: what else the firmware uses of both it takes from below. The interrupt line is none of the
 * PPI's events: isr.radio shows the handler.
 */
#ifndef GPIORIG_PORT_NRF52840DK_TAPS_H
#define GPIORIG_PORT_NRF52840DK_TAPS_H

#define GPIORIG_REG(address) (*(volatile uint32_t *)(address))
#define GPIORIG_RADIO_EVENT(offset) (0x40001000u + (offset))
#define GPIORIG_TAP_READY GPIORIG_RADIO_EVENT(0x100u)
#define GPIORIG_TAP_CCAIDLE GPIORIG_RADIO_EVENT(0x144u)
#define GPIORIG_TAP_CCABUSY GPIORIG_RADIO_EVENT(0x148u)
#define GPIORIG_TAP_DISABLED GPIORIG_RADIO_EVENT(0x110u)
#define GPIORIG_TAP_FRAMESTART GPIORIG_RADIO_EVENT(0x138u)
#define GPIORIG_TAP_TXREADY GPIORIG_RADIO_EVENT(0x154u)
#define GPIORIG_TAP_PHYEND GPIORIG_RADIO_EVENT(0x16Cu)
#define GPIORIG_GPIOTE_SET(channel) (0x40006030u + 4u * (channel))
#define GPIORIG_GPIOTE_CLR(channel) (0x40006060u + 4u * (channel))
#define GPIORIG_GPIOTE_CONFIG(channel) GPIORIG_REG(0x40006510u + 4u * (channel))
#define GPIORIG_GPIOTE_TASK 3u /* mode; the level at first is low */
#define GPIORIG_PPI_CHENSET GPIORIG_REG(0x4001F504u)
#define GPIORIG_PPI_EEP(channel) GPIORIG_REG(0x4001F510u + 8u * (channel))
#define GPIORIG_PPI_TEP(channel) GPIORIG_REG(0x4001F514u + 8u * (channel))

/** A channel of the PPI leads an event to a task. */
GPIORIG_INLINE void gpiorig_tap_lead(unsigned channel, unsigned event, unsigned task)
{
    GPIORIG_PPI_EEP(channel) = event;
    GPIORIG_PPI_TEP(channel) = task;
    GPIORIG_PPI_CHENSET = 1u << channel;
}

/** The pin becomes an output of GPIOTE, low. */
GPIORIG_INLINE void gpiorig_tap_line(unsigned channel, unsigned pin)
{
    gpiorig_port_line_init(pin);
    GPIORIG_GPIOTE_CONFIG(channel) = GPIORIG_GPIOTE_TASK | pin << 8;
}

GPIORIG_INLINE void gpiorig_taps_init(void)
{
    if (GPIORIG_TAP_FRAME_TIMESTAMP != GPIORIG_NO_PIN) {
        gpiorig_tap_line(7, (unsigned)GPIORIG_TAP_FRAME_TIMESTAMP);
        gpiorig_tap_lead(19, GPIORIG_TAP_FRAMESTART, GPIORIG_GPIOTE_SET(7u));
        gpiorig_tap_lead(18, GPIORIG_TAP_PHYEND, GPIORIG_GPIOTE_CLR(7u));
    }
    if (GPIORIG_TAP_TX_ACTIVE != GPIORIG_NO_PIN) {
        gpiorig_tap_line(6, (unsigned)GPIORIG_TAP_TX_ACTIVE);
        gpiorig_tap_lead(17, GPIORIG_TAP_TXREADY, GPIORIG_GPIOTE_SET(6u));
        gpiorig_tap_lead(16, GPIORIG_TAP_PHYEND, GPIORIG_GPIOTE_CLR(6u));
        gpiorig_tap_lead(15, GPIORIG_TAP_DISABLED, GPIORIG_GPIOTE_CLR(6u));
    }
    if (GPIORIG_LINE_READY != GPIORIG_NO_PIN) {
        gpiorig_tap_line(5, (unsigned)GPIORIG_LINE_READY);
        gpiorig_tap_lead(14, GPIORIG_TAP_READY, GPIORIG_GPIOTE_SET(5u));
        gpiorig_tap_lead(13, GPIORIG_TAP_DISABLED, GPIORIG_GPIOTE_CLR(5u));
    }
    if (GPIORIG_LINE_CCA_IDLE != GPIORIG_NO_PIN) {
        gpiorig_tap_line(4, (unsigned)GPIORIG_LINE_CCA_IDLE);
        gpiorig_tap_lead(12, GPIORIG_TAP_CCAIDLE, GPIORIG_GPIOTE_SET(4u));
        gpiorig_tap_lead(11, GPIORIG_TAP_PHYEND, GPIORIG_GPIOTE_CLR(4u));
        gpiorig_tap_lead(10, GPIORIG_TAP_DISABLED, GPIORIG_GPIOTE_CLR(4u));
    }
    if (GPIORIG_LINE_CCA_BUSY != GPIORIG_NO_PIN) {
        gpiorig_tap_line(3, (unsigned)GPIORIG_LINE_CCA_BUSY);
        gpiorig_tap_lead(9, GPIORIG_TAP_CCABUSY, GPIORIG_GPIOTE_SET(3u));
        gpiorig_tap_lead(8, GPIORIG_TAP_READY, GPIORIG_GPIOTE_CLR(3u));
    }
}

#endif
