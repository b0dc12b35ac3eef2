/* Generated from firmware-gpio-probes/events.toml by `make generate`. Do not edit. */
#ifndef GPIORIG_LINES_H
#define GPIORIG_LINES_H

/* X(number, name, pin, ...) */
#define GPIORIG_FIRST_OWN_LINE 9 /* the lines before it are the bus */

#define GPIORIG_LINES(X, ...) \
    X(0, "the strobe", (GPIORIG_WIDTH > 0 ? GPIORIG_STROBE : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(1, "data line 0", (GPIORIG_WIDTH > 0 ? GPIORIG_D0 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(2, "data line 1", (GPIORIG_WIDTH > 1 ? GPIORIG_D1 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(3, "data line 2", (GPIORIG_WIDTH > 2 ? GPIORIG_D2 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(4, "data line 3", (GPIORIG_WIDTH > 3 ? GPIORIG_D3 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(5, "data line 4", (GPIORIG_WIDTH > 4 ? GPIORIG_D4 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(6, "data line 5", (GPIORIG_WIDTH > 5 ? GPIORIG_D5 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(7, "data line 6", (GPIORIG_WIDTH > 6 ? GPIORIG_D6 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(8, "data line 7", (GPIORIG_WIDTH > 7 ? GPIORIG_D7 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(9, "the heartbeat line", GPIORIG_HEARTBEAT_LINE, __VA_ARGS__) \
    X(10, "the span line of APP_TX", GPIORIG_SPAN_APP_TX, __VA_ARGS__) \
    X(11, "the span line of APP_RX", GPIORIG_SPAN_APP_RX, __VA_ARGS__) \
    X(12, "the span line of SOCK_TX", GPIORIG_SPAN_SOCK_TX, __VA_ARGS__) \
    X(13, "the span line of SOCK_RX", GPIORIG_SPAN_SOCK_RX, __VA_ARGS__) \
    X(14, "the span line of UDP_TX", GPIORIG_SPAN_UDP_TX, __VA_ARGS__) \
    X(15, "the span line of UDP_RX", GPIORIG_SPAN_UDP_RX, __VA_ARGS__) \
    X(16, "the span line of UDP_HEADER", GPIORIG_SPAN_UDP_HEADER, __VA_ARGS__) \
    X(17, "the span line of UDP_CHECKSUM", GPIORIG_SPAN_UDP_CHECKSUM, __VA_ARGS__) \
    X(18, "the span line of IPV6_TX", GPIORIG_SPAN_IPV6_TX, __VA_ARGS__) \
    X(19, "the span line of IPV6_RX", GPIORIG_SPAN_IPV6_RX, __VA_ARGS__) \
    X(20, "the span line of IPV6_HEADER", GPIORIG_SPAN_IPV6_HEADER, __VA_ARGS__) \
    X(21, "the span line of IPV6_NEXT_HOP", GPIORIG_SPAN_IPV6_NEXT_HOP, __VA_ARGS__) \
    X(22, "the span line of SIXLOWPAN_TX", GPIORIG_SPAN_SIXLOWPAN_TX, __VA_ARGS__) \
    X(23, "the span line of SIXLOWPAN_RX", GPIORIG_SPAN_SIXLOWPAN_RX, __VA_ARGS__) \
    X(24, "the span line of SIXLOWPAN_COMPRESS", GPIORIG_SPAN_SIXLOWPAN_COMPRESS, __VA_ARGS__) \
    X(25, "the span line of SIXLOWPAN_DECOMPRESS", GPIORIG_SPAN_SIXLOWPAN_DECOMPRESS, __VA_ARGS__) \
    X(26, "the span line of SIXLOWPAN_FRAGMENT", GPIORIG_SPAN_SIXLOWPAN_FRAGMENT, __VA_ARGS__) \
    X(27, "the span line of SIXLOWPAN_REASSEMBLE", GPIORIG_SPAN_SIXLOWPAN_REASSEMBLE, __VA_ARGS__) \
    X(28, "the span line of MAC_TX", GPIORIG_SPAN_MAC_TX, __VA_ARGS__) \
    X(29, "the span line of MAC_RX", GPIORIG_SPAN_MAC_RX, __VA_ARGS__) \
    X(30, "the span line of MAC_BACKOFF", GPIORIG_SPAN_MAC_BACKOFF, __VA_ARGS__) \
    X(31, "the span line of MAC_ACK_WAIT", GPIORIG_SPAN_MAC_ACK_WAIT, __VA_ARGS__) \
    X(32, "the span line of DRIVER_TX", GPIORIG_SPAN_DRIVER_TX, __VA_ARGS__) \
    X(33, "the span line of DRIVER_PREPARE", GPIORIG_SPAN_DRIVER_PREPARE, __VA_ARGS__) \
    X(34, "the span line of DRIVER_LOAD", GPIORIG_SPAN_DRIVER_LOAD, __VA_ARGS__) \
    X(35, "the span line of DRIVER_EXEC", GPIORIG_SPAN_DRIVER_EXEC, __VA_ARGS__) \
    X(36, "the span line of DRIVER_ISR", GPIORIG_SPAN_DRIVER_ISR, __VA_ARGS__) \
    X(37, "the span line of DRIVER_RX_LENGTH", GPIORIG_SPAN_DRIVER_RX_LENGTH, __VA_ARGS__) \
    X(38, "the span line of DRIVER_RX_READ", GPIORIG_SPAN_DRIVER_RX_READ, __VA_ARGS__) \
    X(39, "the span line of ISR_RADIO", GPIORIG_SPAN_ISR_RADIO, __VA_ARGS__) \
    X(40, "the span line of ISR_TIMER", GPIORIG_SPAN_ISR_TIMER, __VA_ARGS__) \
    X(41, "the span line of ISR_UART", GPIORIG_SPAN_ISR_UART, __VA_ARGS__) \
    X(42, "the span line of ISR_DMA", GPIORIG_SPAN_ISR_DMA, __VA_ARGS__) \
    X(43, "the span line of ISR_OTHER", GPIORIG_SPAN_ISR_OTHER, __VA_ARGS__) \
    X(44, "the span line of SCHED_SLEEP", GPIORIG_SPAN_SCHED_SLEEP, __VA_ARGS__) \
    X(45, "the span line of TASK_RUN", GPIORIG_SPAN_TASK_RUN, __VA_ARGS__) \
    X(46, "the span line of TIMER_FIRE", GPIORIG_SPAN_TIMER_FIRE, __VA_ARGS__) \
    X(47, "the span line of SLOT_ACTIVE", GPIORIG_SPAN_SLOT_ACTIVE, __VA_ARGS__) \
    X(48, "the span line of SLOT_TX", GPIORIG_SPAN_SLOT_TX, __VA_ARGS__) \
    X(49, "the span line of SLOT_RX", GPIORIG_SPAN_SLOT_RX, __VA_ARGS__)

#define GPIORIG_OTHER_LINES(X, ...) \
    X(0, "the strobe", (GPIORIG_WIDTH > 0 ? GPIORIG_STROBE : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(1, "data line 0", (GPIORIG_WIDTH > 0 ? GPIORIG_D0 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(2, "data line 1", (GPIORIG_WIDTH > 1 ? GPIORIG_D1 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(3, "data line 2", (GPIORIG_WIDTH > 2 ? GPIORIG_D2 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(4, "data line 3", (GPIORIG_WIDTH > 3 ? GPIORIG_D3 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(5, "data line 4", (GPIORIG_WIDTH > 4 ? GPIORIG_D4 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(6, "data line 5", (GPIORIG_WIDTH > 5 ? GPIORIG_D5 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(7, "data line 6", (GPIORIG_WIDTH > 6 ? GPIORIG_D6 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(8, "data line 7", (GPIORIG_WIDTH > 7 ? GPIORIG_D7 : GPIORIG_NO_PIN), __VA_ARGS__) \
    X(9, "the heartbeat line", GPIORIG_HEARTBEAT_LINE, __VA_ARGS__) \
    X(10, "the span line of APP_TX", GPIORIG_SPAN_APP_TX, __VA_ARGS__) \
    X(11, "the span line of APP_RX", GPIORIG_SPAN_APP_RX, __VA_ARGS__) \
    X(12, "the span line of SOCK_TX", GPIORIG_SPAN_SOCK_TX, __VA_ARGS__) \
    X(13, "the span line of SOCK_RX", GPIORIG_SPAN_SOCK_RX, __VA_ARGS__) \
    X(14, "the span line of UDP_TX", GPIORIG_SPAN_UDP_TX, __VA_ARGS__) \
    X(15, "the span line of UDP_RX", GPIORIG_SPAN_UDP_RX, __VA_ARGS__) \
    X(16, "the span line of UDP_HEADER", GPIORIG_SPAN_UDP_HEADER, __VA_ARGS__) \
    X(17, "the span line of UDP_CHECKSUM", GPIORIG_SPAN_UDP_CHECKSUM, __VA_ARGS__) \
    X(18, "the span line of IPV6_TX", GPIORIG_SPAN_IPV6_TX, __VA_ARGS__) \
    X(19, "the span line of IPV6_RX", GPIORIG_SPAN_IPV6_RX, __VA_ARGS__) \
    X(20, "the span line of IPV6_HEADER", GPIORIG_SPAN_IPV6_HEADER, __VA_ARGS__) \
    X(21, "the span line of IPV6_NEXT_HOP", GPIORIG_SPAN_IPV6_NEXT_HOP, __VA_ARGS__) \
    X(22, "the span line of SIXLOWPAN_TX", GPIORIG_SPAN_SIXLOWPAN_TX, __VA_ARGS__) \
    X(23, "the span line of SIXLOWPAN_RX", GPIORIG_SPAN_SIXLOWPAN_RX, __VA_ARGS__) \
    X(24, "the span line of SIXLOWPAN_COMPRESS", GPIORIG_SPAN_SIXLOWPAN_COMPRESS, __VA_ARGS__) \
    X(25, "the span line of SIXLOWPAN_DECOMPRESS", GPIORIG_SPAN_SIXLOWPAN_DECOMPRESS, __VA_ARGS__) \
    X(26, "the span line of SIXLOWPAN_FRAGMENT", GPIORIG_SPAN_SIXLOWPAN_FRAGMENT, __VA_ARGS__) \
    X(27, "the span line of SIXLOWPAN_REASSEMBLE", GPIORIG_SPAN_SIXLOWPAN_REASSEMBLE, __VA_ARGS__) \
    X(28, "the span line of MAC_TX", GPIORIG_SPAN_MAC_TX, __VA_ARGS__) \
    X(29, "the span line of MAC_RX", GPIORIG_SPAN_MAC_RX, __VA_ARGS__) \
    X(30, "the span line of MAC_BACKOFF", GPIORIG_SPAN_MAC_BACKOFF, __VA_ARGS__) \
    X(31, "the span line of MAC_ACK_WAIT", GPIORIG_SPAN_MAC_ACK_WAIT, __VA_ARGS__) \
    X(32, "the span line of DRIVER_TX", GPIORIG_SPAN_DRIVER_TX, __VA_ARGS__) \
    X(33, "the span line of DRIVER_PREPARE", GPIORIG_SPAN_DRIVER_PREPARE, __VA_ARGS__) \
    X(34, "the span line of DRIVER_LOAD", GPIORIG_SPAN_DRIVER_LOAD, __VA_ARGS__) \
    X(35, "the span line of DRIVER_EXEC", GPIORIG_SPAN_DRIVER_EXEC, __VA_ARGS__) \
    X(36, "the span line of DRIVER_ISR", GPIORIG_SPAN_DRIVER_ISR, __VA_ARGS__) \
    X(37, "the span line of DRIVER_RX_LENGTH", GPIORIG_SPAN_DRIVER_RX_LENGTH, __VA_ARGS__) \
    X(38, "the span line of DRIVER_RX_READ", GPIORIG_SPAN_DRIVER_RX_READ, __VA_ARGS__) \
    X(39, "the span line of ISR_RADIO", GPIORIG_SPAN_ISR_RADIO, __VA_ARGS__) \
    X(40, "the span line of ISR_TIMER", GPIORIG_SPAN_ISR_TIMER, __VA_ARGS__) \
    X(41, "the span line of ISR_UART", GPIORIG_SPAN_ISR_UART, __VA_ARGS__) \
    X(42, "the span line of ISR_DMA", GPIORIG_SPAN_ISR_DMA, __VA_ARGS__) \
    X(43, "the span line of ISR_OTHER", GPIORIG_SPAN_ISR_OTHER, __VA_ARGS__) \
    X(44, "the span line of SCHED_SLEEP", GPIORIG_SPAN_SCHED_SLEEP, __VA_ARGS__) \
    X(45, "the span line of TASK_RUN", GPIORIG_SPAN_TASK_RUN, __VA_ARGS__) \
    X(46, "the span line of TIMER_FIRE", GPIORIG_SPAN_TIMER_FIRE, __VA_ARGS__) \
    X(47, "the span line of SLOT_ACTIVE", GPIORIG_SPAN_SLOT_ACTIVE, __VA_ARGS__) \
    X(48, "the span line of SLOT_TX", GPIORIG_SPAN_SLOT_TX, __VA_ARGS__) \
    X(49, "the span line of SLOT_RX", GPIORIG_SPAN_SLOT_RX, __VA_ARGS__)

#endif
