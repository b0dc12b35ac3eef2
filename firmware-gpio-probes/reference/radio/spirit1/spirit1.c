/*
 * The SPIRIT1 with its link layer protocol: STack packets that carry the MAC frame as their payload, acknowledged by the
 * receiver's chip and repeated by the sender's; the chip's CSMA engine goes before each try. The addresses of a packet
 * are the low bytes of the frame's short addresses; the frame itself is what the MAC filters by.
 */
#include "radio.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "mac.h"
#include "radio_limits.h"
#include "radio_port.h"
#include "spirit1_bus.h"
#include "spirit1_registers.h"
#include "timer.h"

#define INTERRUPTS (IRQ_RX_DATA_READY | IRQ_TX_DATA_SENT | IRQ_MAX_RE_TX_REACH | IRQ_TX_FIFO_ERROR | IRQ_RX_FIFO_ERROR | \
                    IRQ_MAX_BO_CCA_REACH)
#define CARRIER_SENSE_DBM (-90)
/*
 * An acknowledgement must begin within 25 * 1210 / 25 MHz = 1.21 ms; its sync word ends 0.4 ms after the packet at 250 kb/s.
 */
#define ACK_PRESCALER 0u
#define ACK_COUNTER 25u
#define RECEPTION_US 5000u /* the longest packet, 3.5 ms, and its acknowledgement, 0.6 ms */

static const struct radio_callbacks *report;
static bool sending;
static uint16_t sending_id;
static uint8_t csma; /* PROTOCOL1 while sending */
static uint32_t errors;

static void expect(bool good)
{
    if (!good) {
        errors++;
    }
}

/** nIRQ, on GPIO3. */
static bool interrupt_requested(void)
{
    return !radio_port_interrupt_level();
}

/** Leaves RX or TX, whatever goes on. */
static bool make_ready(void)
{
    uint8_t state = STATUS_STATE(spirit1_status());

    if (state == MC_STATE_LOCK) {
        spirit1_command(COMMAND_READY);
    }
    if (state != MC_STATE_READY) {
        spirit1_command(COMMAND_SABORT);
    }
    return spirit1_wait(MC_STATE_READY);
}

/** Receives until told otherwise: RX_TIMEOUT 0, persistent reception; CSMA would delay the acknowledgements. */
static bool listen(void)
{
    static const uint8_t for_ever[2] = { 0, 0 };

    spirit1_write(PROTOCOL1, PROTOCOL1_FILTER);
    spirit1_write_many(TIMERS5, for_ever, sizeof for_ever);
    spirit1_command(COMMAND_FLUSHRXFIFO);
    if (STATUS_STATE(spirit1_status()) == MC_STATE_READY) {
        spirit1_command(COMMAND_RX);
    }
    return spirit1_wait(MC_STATE_RX);
}

static void write_interrupt_mask(void)
{
    static const uint8_t mask[4] = { (uint8_t)(INTERRUPTS >> 24), (uint8_t)(INTERRUPTS >> 16), (uint8_t)(INTERRUPTS >> 8),
                                     (uint8_t)INTERRUPTS };

    spirit1_write_many(IRQ_MASK3, mask, sizeof mask);
}

static void write_modem(void)
{
    static const uint8_t synt[4] = { (uint8_t)(SYNT_WORD >> 21), (uint8_t)(SYNT_WORD >> 13), (uint8_t)(SYNT_WORD >> 5),
                                     (uint8_t)(SYNT_WORD << 3 | SYNT_BAND_6) };
    static const uint8_t modulation[4] = { MOD1_MANTISSA, MOD0_GFSK_EXPONENT, FDEV0_122KHZ, CHFLT_521KHZ };

    spirit1_write(SYNTH_CONFIG0, SYNTH_CONFIG0_TSPLIT);
    spirit1_write(IF_OFFSET_ANA, IF_OFFSET_ANA_50MHZ);
    spirit1_write(IF_OFFSET_DIG, IF_OFFSET_DIG_25MHZ);
    spirit1_write_many(SYNT3, synt, sizeof synt);
    spirit1_write(CHSPACE, CHSPACE_WIDEST);
    spirit1_write_many(MOD1, modulation, sizeof modulation);
    spirit1_write(RSSI_TH, RSSI_TH_DBM(CARRIER_SENSE_DBM));
}

static void write_packet_format(void)
{
    static const uint8_t format[4] = { PCKTCTRL4_TWO_ADDRESSES, PCKTCTRL3_STACK_8_BITS,
                                       PCKTCTRL2_8_PREAMBLE_4_SYNC_VARIABLE, PCKTCTRL1_CRC_1021_WHITENING };
    static const uint8_t sync[4] = { 0xA8, 0x35, 0x26, 0x1A }; /* SYNC4 to SYNC1, the example of ST's library */
    static const uint8_t protocol[3] = { PROTOCOL2_SQI_STOPS_TIMEOUT, PROTOCOL1_FILTER,
                                         PROTOCOL0_3_RETRIES | PROTOCOL0_AUTO_ACK | PROTOCOL0_PERSISTENT_RX };

    spirit1_write_many(PCKTCTRL4, format, sizeof format);
    spirit1_write_many(SYNC4, sync, sizeof sync);
    spirit1_write(PCKT_FLT_OPTIONS, PCKT_FLT_OPTIONS_OR | PCKT_FLT_OPTIONS_OWN_ADDRESS | PCKT_FLT_OPTIONS_CRC);
    spirit1_write_many(PROTOCOL2, protocol, sizeof protocol);
}

bool radio_init(const struct radio_callbacks *callbacks)
{
    report = callbacks;
    sending = false;
    radio_port_init();
    radio_port_reset();
    if (spirit1_read(DEVICE_INFO1) != DEVICE_INFO1_SPIRIT1 || !spirit1_wait(MC_STATE_READY)) {
        errors++;
        return false;
    }
    spirit1_write(GPIO3_CONF, GPIO_NIRQ);
    spirit1_write(GPIO1_CONF, GPIO_TX_STATE);
    spirit1_write(GPIO0_CONF, GPIO_SYNC_DETECTED);
    write_modem();
    write_packet_format();
    spirit1_interrupts();
    write_interrupt_mask();
    return true;
}

/** Calibrates the VCO for one direction and keeps the word, so that no transmission needs to. */
static bool calibrate(uint8_t command, uint8_t word_register)
{
    bool good;

    spirit1_command(command);
    good = spirit1_wait(MC_STATE_LOCK);
    spirit1_write(word_register, spirit1_read(VCO_CALIBR_OUT) & VCO_CALIBR_MASK);
    spirit1_command(COMMAND_READY);
    return spirit1_wait(MC_STATE_READY) && good;
}

static bool tune(uint8_t channel)
{
    bool good;

    spirit1_write(CHNUM, (uint8_t)(channel - RADIO_CHANNEL_FIRST));
    spirit1_write(PROTOCOL2, PROTOCOL2_SQI_STOPS_TIMEOUT | PROTOCOL2_VCO_CALIBRATION);
    good = calibrate(COMMAND_LOCKTX, VCO_CALIBR_TX);
    good = calibrate(COMMAND_LOCKRX, VCO_CALIBR_RX) && good;
    spirit1_write(PROTOCOL2, PROTOCOL2_SQI_STOPS_TIMEOUT);
    return good;
}

/* The seed must not be 0; a multiply-xorshift hash keeps neighbouring seeds and addresses apart. */
static uint16_t mix_seed(uint32_t seed, uint16_t address)
{
    uint32_t x = seed + address * 0x9E3779B1u; /* 2^32 divided by the golden ratio */

    x ^= x >> 15;
    x *= 0x85EBCA6Bu;
    x ^= x >> 13;
    return (uint16_t)(x | 1u);
}

bool radio_configure(const struct radio_settings *settings)
{
    uint16_t seed = mix_seed(settings->seed, settings->address);
    const uint8_t backoff[4] = { (uint8_t)(seed >> 8), (uint8_t)seed, CSMA_CONFIG1_317US_64BITS,
                                 CSMA_CONFIG0_1_CCA_4_BACKOFFS };
    bool good = make_ready();

    sending = false;
    spirit1_write(TX_SOURCE_ADDR, (uint8_t)settings->address);
    spirit1_write_many(CSMA_CONFIG3, backoff, sizeof backoff);
    csma = PROTOCOL1_FILTER | PROTOCOL1_CSMA | (settings->backoff ? 0u : PROTOCOL1_CSMA_PERSISTENT);
    good = tune(settings->channel) && good;
    spirit1_interrupts();
    good = listen() && good;
    expect(good);
    return good;
}

/** A frame that ended while the transmitter was being prepared is lost: its FIFO is about to be flushed. */
static void drop_late_frame(void)
{
    if (interrupt_requested()) {
        spirit1_interrupts();
        actor_unsignal(&mac_actor, MAC_SIGNAL_RADIO);
        errors++;
        GPIORIG_EVENT(DRIVER_RX_DROP);
    }
}

/** Lets a packet that is coming in end, and the acknowledgement that the chip sends by itself; then leaves RX. */
static bool prepare(void)
{
    uint32_t start = timer_now();
    uint16_t status = spirit1_status();

    while (!interrupt_requested() &&
           (STATUS_STATE(status) != MC_STATE_RX || (status & STATUS_RX_FIFO_EMPTY) == 0) &&
           STATUS_STATE(status) != MC_STATE_READY && timer_now() - start <= RECEPTION_US) {
        status = spirit1_status();
    }
    expect(timer_now() - start <= RECEPTION_US);
    drop_late_frame();
    return make_ready();
}

static void load(struct packet *packet)
{
    static const uint8_t ack_timeout[2] = { ACK_PRESCALER, ACK_COUNTER };
    const uint8_t length[2] = { 0, (uint8_t)(packet->length + ADDRESSES_LENGTH) };

    spirit1_command(COMMAND_FLUSHRXFIFO);
    spirit1_command(COMMAND_FLUSHTXFIFO);
    spirit1_write_many(PCKTLEN1, length, sizeof length);
    spirit1_write(RX_SOURCE_ADDR, (uint8_t)packet->destination);
    spirit1_write_many(TIMERS5, ack_timeout, sizeof ack_timeout);
    spirit1_write(PROTOCOL1, csma);
    spirit1_write_many(LINEAR_FIFO, packet_data(packet), (uint8_t)packet->length);
}

bool radio_send(struct packet *packet)
{
    bool ready;

    if (sending || packet->length > RADIO_PSDU_MAX - RADIO_FCS_LENGTH) {
        return false;
    }
    GPIORIG_ENTER_ID(DRIVER_PREPARE, packet->id);
    ready = prepare();
    GPIORIG_EXIT_ID(DRIVER_PREPARE, packet->id);
    if (!ready) {
        errors++;
        expect(listen());
        return false;
    }
    GPIORIG_ENTER_ID(DRIVER_LOAD, packet->id);
    load(packet);
    GPIORIG_EXIT_ID(DRIVER_LOAD, packet->id);

    GPIORIG_ENTER_ID(DRIVER_EXEC, packet->id);
    sending_id = packet->id;
    sending = true;
    spirit1_command(COMMAND_TX);
    GPIORIG_EXIT_ID(DRIVER_EXEC, packet->id);
    return true;
}

bool radio_is_sending(void)
{
    return sending;
}

static void confirm(enum radio_result result)
{
    sending = false;
    expect(listen());
    GPIORIG_EVENT_ID(DRIVER_CONFIRM, sending_id);
    report->confirmed(sending_id, result);
}

void radio_abort(void)
{
    if (sending) {
        errors++;
        expect(make_ready());
        spirit1_interrupts();
        confirm(RADIO_BUSY);
    }
}

static void transmission_ended(uint32_t interrupts)
{
    if ((interrupts & IRQ_TX_DATA_SENT) != 0) {
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, sending_id);
        confirm(RADIO_SENT);
    } else if ((interrupts & IRQ_MAX_RE_TX_REACH) != 0) {
        GPIORIG_EVENT_ID(RADIO_TX_NO_ACK, sending_id);
        confirm(RADIO_NO_ACK);
    } else {
        expect((interrupts & IRQ_MAX_BO_CCA_REACH) != 0);
        GPIORIG_EVENT_ID(RADIO_TX_BUSY, sending_id);
        confirm(RADIO_BUSY);
    }
}

/** Reads the frame; the last two bytes of it are the packet id. */
static struct packet *read_frame(void)
{
    struct packet *packet;
    uint8_t registers[2];
    uint8_t length;

    GPIORIG_ENTER(DRIVER_RX_LENGTH);
    spirit1_read_many(RX_PCKT_LEN1, registers, sizeof registers);
    length = spirit1_read(FIFO_STATUS0);
    GPIORIG_EXIT(DRIVER_RX_LENGTH);
    if (registers[0] != 0 || registers[1] != length + ADDRESSES_LENGTH || length < 2u ||
        length > RADIO_PSDU_MAX - RADIO_FCS_LENGTH || (packet = packet_alloc()) == NULL) {
        return NULL;
    }
    GPIORIG_ENTER(DRIVER_RX_READ);
    packet->length = length;
    spirit1_read_many(LINEAR_FIFO, packet_data(packet), length);
    packet->id = get_be16(packet_data(packet) + length - 2);
    GPIORIG_EXIT_ID(DRIVER_RX_READ, packet->id);
    return packet;
}

static void drop_frame(void)
{
    spirit1_command(COMMAND_FLUSHRXFIFO);
    GPIORIG_EVENT(DRIVER_RX_DROP);
    errors++;
}

void radio_service(void)
{
    uint32_t interrupts;

    GPIORIG_ENTER(DRIVER_ISR);
    interrupts = spirit1_interrupts() & INTERRUPTS;
    if (sending && (interrupts & (IRQ_TX_DATA_SENT | IRQ_MAX_RE_TX_REACH | IRQ_MAX_BO_CCA_REACH | IRQ_TX_FIFO_ERROR)) != 0) {
        transmission_ended(interrupts);
    } else if ((interrupts & IRQ_RX_FIFO_ERROR) != 0) {
        drop_frame();
        expect(listen());
    } else if ((interrupts & IRQ_RX_DATA_READY) != 0) {
        GPIORIG_EVENT(RADIO_RX_COMPLETE);
        struct packet *packet = read_frame();

        if (packet != NULL) {
            report->received(packet);
        } else {
            drop_frame();
        }
    } else {
        errors++;
    }
    GPIORIG_EXIT(DRIVER_ISR);
    if (interrupt_requested()) {
        actor_signal(&mac_actor, MAC_SIGNAL_RADIO); /* one more came while the status was read: nIRQ stays low, there is no other edge */
    }
}

uint32_t radio_errors(void)
{
    return errors;
}
