/* Generated from firmware-gpio-probes/events.toml by `make generate`. Do not edit. */
#include "gpiorig/probe.h"

#ifdef GPIORIG_OFF
typedef int gpiorig_is_off;
#else

const uint8_t gpiorig_groups[GPIORIG_CODES] = {
    GPIORIG_GROUPS, /* 0 */
    GPIORIG_GROUP_RIG, /* 1 */
    GPIORIG_GROUP_RIG, /* 2 */
    GPIORIG_GROUP_RIG, /* 3 */
    GPIORIG_GROUP_RIG, /* 4 */
    GPIORIG_GROUP_RIG, /* 5 */
    GPIORIG_GROUP_APP, /* 6 */
    GPIORIG_GROUP_APP, /* 7 */
    GPIORIG_GROUP_APP, /* 8 */
    GPIORIG_GROUP_APP, /* 9 */
    GPIORIG_GROUP_SOCK, /* 10 */
    GPIORIG_GROUP_SOCK, /* 11 */
    GPIORIG_GROUP_SOCK, /* 12 */
    GPIORIG_GROUP_SOCK, /* 13 */
    GPIORIG_GROUP_UDP, /* 14 */
    GPIORIG_GROUP_UDP, /* 15 */
    GPIORIG_GROUP_UDP, /* 16 */
    GPIORIG_GROUP_UDP, /* 17 */
    GPIORIG_GROUP_UDP, /* 18 */
    GPIORIG_GROUP_UDP, /* 19 */
    GPIORIG_GROUP_UDP, /* 20 */
    GPIORIG_GROUP_UDP, /* 21 */
    GPIORIG_GROUP_IPV6, /* 22 */
    GPIORIG_GROUP_IPV6, /* 23 */
    GPIORIG_GROUP_IPV6, /* 24 */
    GPIORIG_GROUP_IPV6, /* 25 */
    GPIORIG_GROUP_IPV6, /* 26 */
    GPIORIG_GROUP_IPV6, /* 27 */
    GPIORIG_GROUP_IPV6, /* 28 */
    GPIORIG_GROUP_IPV6, /* 29 */
    GPIORIG_GROUP_SIXLOWPAN, /* 30 */
    GPIORIG_GROUP_SIXLOWPAN, /* 31 */
    GPIORIG_GROUP_SIXLOWPAN, /* 32 */
    GPIORIG_GROUP_SIXLOWPAN, /* 33 */
    GPIORIG_GROUP_SIXLOWPAN, /* 34 */
    GPIORIG_GROUP_SIXLOWPAN, /* 35 */
    GPIORIG_GROUP_SIXLOWPAN, /* 36 */
    GPIORIG_GROUP_SIXLOWPAN, /* 37 */
    GPIORIG_GROUP_SIXLOWPAN, /* 38 */
    GPIORIG_GROUP_SIXLOWPAN, /* 39 */
    GPIORIG_GROUP_SIXLOWPAN, /* 40 */
    GPIORIG_GROUP_SIXLOWPAN, /* 41 */
    GPIORIG_GROUP_MAC, /* 42 */
    GPIORIG_GROUP_MAC, /* 43 */
    GPIORIG_GROUP_MAC, /* 44 */
    GPIORIG_GROUP_MAC, /* 45 */
    GPIORIG_GROUP_MAC, /* 46 */
    GPIORIG_GROUPS, /* 47 */
    GPIORIG_GROUP_MAC, /* 48 */
    GPIORIG_GROUP_MAC, /* 49 */
    GPIORIG_GROUP_MAC, /* 50 */
    GPIORIG_GROUP_MAC, /* 51 */
    GPIORIG_GROUP_DRIVER, /* 52 */
    GPIORIG_GROUP_DRIVER, /* 53 */
    GPIORIG_GROUP_DRIVER, /* 54 */
    GPIORIG_GROUP_DRIVER, /* 55 */
    GPIORIG_GROUP_DRIVER, /* 56 */
    GPIORIG_GROUP_DRIVER, /* 57 */
    GPIORIG_GROUP_DRIVER, /* 58 */
    GPIORIG_GROUP_DRIVER, /* 59 */
    GPIORIG_GROUP_DRIVER, /* 60 */
    GPIORIG_GROUP_DRIVER, /* 61 */
    GPIORIG_GROUP_DRIVER, /* 62 */
    GPIORIG_GROUP_DRIVER, /* 63 */
    GPIORIG_GROUP_DRIVER, /* 64 */
    GPIORIG_GROUP_DRIVER, /* 65 */
    GPIORIG_GROUP_DRIVER, /* 66 */
    GPIORIG_GROUP_DRIVER, /* 67 */
    GPIORIG_GROUP_RADIO, /* 68 */
    GPIORIG_GROUP_RADIO, /* 69 */
    GPIORIG_GROUP_RADIO, /* 70 */
    GPIORIG_GROUP_RADIO, /* 71 */
    GPIORIG_GROUP_RADIO, /* 72 */
    GPIORIG_GROUP_RADIO, /* 73 */
    GPIORIG_GROUP_RADIO, /* 74 */
    GPIORIG_GROUP_RADIO, /* 75 */
    GPIORIG_GROUP_RADIO, /* 76 */
    GPIORIG_GROUP_RADIO, /* 77 */
    GPIORIG_GROUP_ISR, /* 78 */
    GPIORIG_GROUP_ISR, /* 79 */
    GPIORIG_GROUP_ISR, /* 80 */
    GPIORIG_GROUP_ISR, /* 81 */
    GPIORIG_GROUP_ISR, /* 82 */
    GPIORIG_GROUP_ISR, /* 83 */
    GPIORIG_GROUP_ISR, /* 84 */
    GPIORIG_GROUP_ISR, /* 85 */
    GPIORIG_GROUP_ISR, /* 86 */
    GPIORIG_GROUP_ISR, /* 87 */
    GPIORIG_GROUP_SCHED, /* 88 */
    GPIORIG_GROUPS, /* 89 */
    GPIORIG_GROUP_SCHED, /* 90 */
    GPIORIG_GROUP_SCHED, /* 91 */
    GPIORIG_GROUP_TASK, /* 92 */
    GPIORIG_GROUP_TASK, /* 93 */
    GPIORIG_GROUP_QUEUE, /* 94 */
    GPIORIG_GROUP_QUEUE, /* 95 */
    GPIORIG_GROUP_QUEUE, /* 96 */
    GPIORIG_GROUP_TIMER, /* 97 */
    GPIORIG_GROUP_TIMER, /* 98 */
    GPIORIG_GROUP_TIMER, /* 99 */
    GPIORIG_GROUP_SLOT, /* 100 */
    GPIORIG_GROUPS, /* 101 */
    GPIORIG_GROUP_SLOT, /* 102 */
    GPIORIG_GROUP_SLOT, /* 103 */
    GPIORIG_GROUP_SLOT, /* 104 */
    GPIORIG_GROUP_SLOT, /* 105 */
    GPIORIG_GROUP_SLOT, /* 106 */
    GPIORIG_GROUP_SLOT, /* 107 */
    GPIORIG_GROUP_SLOT, /* 108 */
    GPIORIG_GROUP_QUEUE, /* 109 */
    GPIORIG_GROUP_TASK, /* 110 */
};

const char *gpiorig_name(uint8_t code)
{
    static const char *const names[GPIORIG_CODES] = {
        "?",
        "rig.boot",
        "rig.calibrate",
        "rig.marker",
        "rig.identify",
        "rig.heartbeat",
        "app.tx.enter",
        "app.tx.exit",
        "app.rx.enter",
        "app.rx.exit",
        "sock.tx.enter",
        "sock.tx.exit",
        "sock.rx.enter",
        "sock.rx.exit",
        "udp.tx.enter",
        "udp.tx.exit",
        "udp.rx.enter",
        "udp.rx.exit",
        "udp.header.enter",
        "udp.header.exit",
        "udp.checksum.enter",
        "udp.checksum.exit",
        "ipv6.tx.enter",
        "ipv6.tx.exit",
        "ipv6.rx.enter",
        "ipv6.rx.exit",
        "ipv6.header.enter",
        "ipv6.header.exit",
        "ipv6.next_hop.enter",
        "ipv6.next_hop.exit",
        "sixlowpan.tx.enter",
        "sixlowpan.tx.exit",
        "sixlowpan.rx.enter",
        "sixlowpan.rx.exit",
        "sixlowpan.compress.enter",
        "sixlowpan.compress.exit",
        "sixlowpan.decompress.enter",
        "sixlowpan.decompress.exit",
        "sixlowpan.fragment.enter",
        "sixlowpan.fragment.exit",
        "sixlowpan.reassemble.enter",
        "sixlowpan.reassemble.exit",
        "mac.tx.enter",
        "mac.tx.exit",
        "mac.rx.enter",
        "mac.rx.exit",
        "mac.sequence",
        "?",
        "mac.backoff.enter",
        "mac.backoff.exit",
        "mac.ack_wait.enter",
        "mac.ack_wait.exit",
        "driver.tx.enter",
        "driver.tx.exit",
        "driver.prepare.enter",
        "driver.prepare.exit",
        "driver.load.enter",
        "driver.load.exit",
        "driver.exec.enter",
        "driver.exec.exit",
        "driver.isr.enter",
        "driver.isr.exit",
        "driver.rx_length.enter",
        "driver.rx_length.exit",
        "driver.rx_read.enter",
        "driver.rx_read.exit",
        "driver.rx_drop",
        "driver.confirm",
        "radio.rx_start",
        "radio.rx_complete",
        "radio.rx_crc_error",
        "radio.tx_start",
        "radio.tx_complete",
        "radio.tx_no_ack",
        "radio.tx_busy",
        "radio.set_rx",
        "radio.set_idle",
        "radio.cca",
        "isr.radio.enter",
        "isr.radio.exit",
        "isr.timer.enter",
        "isr.timer.exit",
        "isr.uart.enter",
        "isr.uart.exit",
        "isr.dma.enter",
        "isr.dma.exit",
        "isr.other.enter",
        "isr.other.exit",
        "sched.switch",
        "?",
        "sched.sleep.enter",
        "sched.sleep.exit",
        "task.run.enter",
        "task.run.exit",
        "queue.post",
        "queue.fetch",
        "queue.drop",
        "timer.set",
        "timer.fire.enter",
        "timer.fire.exit",
        "slot.frame",
        "?",
        "slot.active.enter",
        "slot.active.exit",
        "slot.tx.enter",
        "slot.tx.exit",
        "slot.rx.enter",
        "slot.rx.exit",
        "slot.interrupt",
        "queue.pass",
        "task.due",
    };

    return code < GPIORIG_CODES ? names[code] : "?";
}

#endif
