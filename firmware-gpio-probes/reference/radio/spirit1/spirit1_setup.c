#include "spirit1_setup.h"

#include "radio_limits.h"
#include "spirit1_bus.h"

#define CARRIER_SENSE_DBM (-90)
#define CHANNELS (RADIO_CHANNEL_LAST - RADIO_CHANNEL_FIRST + 1u)

bool spirit1_is_yetimote;

/** The VCO's words for a channel, so that no transmission needs to calibrate it. */
static struct {
    bool is_known;
    uint8_t tx, rx;
} calibration[CHANNELS];

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
                                         PROTOCOL0_RECEIVER };

    spirit1_write_many(PCKTCTRL4, format, sizeof format);
    spirit1_write_many(SYNC4, sync, sizeof sync);
    spirit1_write(PCKT_FLT_OPTIONS, PCKT_FLT_OPTIONS_OR | PCKT_FLT_OPTIONS_OWN_ADDRESS | PCKT_FLT_OPTIONS_BROADCAST |
                                    PCKT_FLT_OPTIONS_CRC);
    spirit1_write(BROADCAST_ADDR, BROADCAST);
    spirit1_write_many(PROTOCOL2, protocol, sizeof protocol);
}

void setup_write(void)
{
    spirit1_write(GPIO3_CONF, GPIO_NIRQ);
    spirit1_write(GPIO1_CONF, GPIO_TX_STATE);
    spirit1_write(GPIO0_CONF, GPIO_SYNC_DETECTED);
    write_modem();
    write_packet_format();
    spirit1_interrupts();
    setup_enable_interrupts(true);
}

void setup_profile(bool is_yetimote)
{
    const uint8_t packets[2] = { is_yetimote ? PCKTCTRL2_4_PREAMBLE_4_SYNC_VARIABLE : PCKTCTRL2_8_PREAMBLE_4_SYNC_VARIABLE,
                                 is_yetimote ? PCKTCTRL1_CRC_07_WHITENING_FEC : PCKTCTRL1_CRC_1021_WHITENING };

    spirit1_is_yetimote = is_yetimote;
    spirit1_write_many(PCKTCTRL2, packets, sizeof packets);
    spirit1_write(PA_POWER8, is_yetimote ? PA_POWER8_11DBM : PA_POWER8_10DBM);
}

void setup_enable_interrupts(bool enable)
{
    static const uint8_t all[4] = { (uint8_t)(INTERRUPTS >> 24), (uint8_t)(INTERRUPTS >> 16), (uint8_t)(INTERRUPTS >> 8),
                                    (uint8_t)INTERRUPTS };
    static const uint8_t none[4] = { 0, 0, 0, 0 };

    spirit1_write_many(IRQ_MASK3, enable ? all : none, sizeof all);
}

void setup_forget_calibration(void)
{
    for (unsigned i = 0; i < CHANNELS; i++) {
        calibration[i].is_known = false;
    }
}

/** Calibrates the VCO for one direction. */
static bool calibrate(uint8_t command, uint8_t *word)
{
    bool good;

    spirit1_command(command);
    good = spirit1_wait(MC_STATE_LOCK);
    *word = spirit1_read(VCO_CALIBR_OUT) & VCO_CALIBR_MASK;
    spirit1_command(COMMAND_READY);
    return spirit1_wait(MC_STATE_READY) && good;
}

bool setup_tune(uint8_t channel)
{
    uint8_t index = (uint8_t)(channel - RADIO_CHANNEL_FIRST);
    bool good = true;

    spirit1_write(CHNUM, index);
    if (!calibration[index].is_known) {
        spirit1_write(PROTOCOL2, PROTOCOL2_SQI_STOPS_TIMEOUT | PROTOCOL2_VCO_CALIBRATION);
        good = calibrate(COMMAND_LOCKTX, &calibration[index].tx);
        good = calibrate(COMMAND_LOCKRX, &calibration[index].rx) && good;
        spirit1_write(PROTOCOL2, PROTOCOL2_SQI_STOPS_TIMEOUT);
        calibration[index].is_known = good;
    }
    spirit1_write(VCO_CALIBR_TX, calibration[index].tx);
    spirit1_write(VCO_CALIBR_RX, calibration[index].rx);
    return good;
}
