/* Generated from firmware-gpio-probes/events.toml by `make generate`. Do not edit. */
#ifndef GPIORIG_EVENTS_H
#define GPIORIG_EVENTS_H

#define GPIORIG_RIG_BOOT                       1u /* first event after reset; starts the wiring proof */
#define GPIORIG_RIG_CALIBRATE                  2u /* calibration burst: back-to-back events, the id counts up from 0 */
#define GPIORIG_RIG_MARKER                     3u /* a marker set by the experiment; the id tells which */
#define GPIORIG_RIG_IDENTIFY                   4u /* answer to the identify command; the id is the node's address */
#define GPIORIG_RIG_HEARTBEAT                  5u /* periodic sign of life; the id counts up */
#define GPIORIG_APP_TX_ENTER                   6u /* application: send call */
#define GPIORIG_APP_TX_EXIT                    7u /* application: send call */
#define GPIORIG_APP_RX_ENTER                   8u /* application: a message has been received and is handled */
#define GPIORIG_APP_RX_EXIT                    9u /* application: a message has been received and is handled */
#define GPIORIG_SOCK_TX_ENTER                 10u /* socket layer: send */
#define GPIORIG_SOCK_TX_EXIT                  11u /* socket layer: send */
#define GPIORIG_SOCK_RX_ENTER                 12u /* socket layer: receive */
#define GPIORIG_SOCK_RX_EXIT                  13u /* socket layer: receive */
#define GPIORIG_UDP_TX_ENTER                  14u /* UDP: send */
#define GPIORIG_UDP_TX_EXIT                   15u /* UDP: send */
#define GPIORIG_UDP_RX_ENTER                  16u /* UDP: receive */
#define GPIORIG_UDP_RX_EXIT                   17u /* UDP: receive */
#define GPIORIG_UDP_HEADER_ENTER              18u /* UDP: header built */
#define GPIORIG_UDP_HEADER_EXIT               19u /* UDP: header built */
#define GPIORIG_UDP_CHECKSUM_ENTER            20u /* UDP: checksum computed */
#define GPIORIG_UDP_CHECKSUM_EXIT             21u /* UDP: checksum computed */
#define GPIORIG_IPV6_TX_ENTER                 22u /* IPv6: send */
#define GPIORIG_IPV6_TX_EXIT                  23u /* IPv6: send */
#define GPIORIG_IPV6_RX_ENTER                 24u /* IPv6: receive */
#define GPIORIG_IPV6_RX_EXIT                  25u /* IPv6: receive */
#define GPIORIG_IPV6_HEADER_ENTER             26u /* IPv6: header built */
#define GPIORIG_IPV6_HEADER_EXIT              27u /* IPv6: header built */
#define GPIORIG_IPV6_NEXT_HOP_ENTER           28u /* IPv6: next-hop lookup */
#define GPIORIG_IPV6_NEXT_HOP_EXIT            29u /* IPv6: next-hop lookup */
#define GPIORIG_SIXLOWPAN_TX_ENTER            30u /* 6LoWPAN: send */
#define GPIORIG_SIXLOWPAN_TX_EXIT             31u /* 6LoWPAN: send */
#define GPIORIG_SIXLOWPAN_RX_ENTER            32u /* 6LoWPAN: receive */
#define GPIORIG_SIXLOWPAN_RX_EXIT             33u /* 6LoWPAN: receive */
#define GPIORIG_SIXLOWPAN_COMPRESS_ENTER      34u /* 6LoWPAN: IPHC compression */
#define GPIORIG_SIXLOWPAN_COMPRESS_EXIT       35u /* 6LoWPAN: IPHC compression */
#define GPIORIG_SIXLOWPAN_DECOMPRESS_ENTER    36u /* 6LoWPAN: IPHC decompression */
#define GPIORIG_SIXLOWPAN_DECOMPRESS_EXIT     37u /* 6LoWPAN: IPHC decompression */
#define GPIORIG_SIXLOWPAN_FRAGMENT_ENTER      38u /* 6LoWPAN: one fragment made */
#define GPIORIG_SIXLOWPAN_FRAGMENT_EXIT       39u /* 6LoWPAN: one fragment made */
#define GPIORIG_SIXLOWPAN_REASSEMBLE_ENTER    40u /* 6LoWPAN: one fragment taken in */
#define GPIORIG_SIXLOWPAN_REASSEMBLE_EXIT     41u /* 6LoWPAN: one fragment taken in */
#define GPIORIG_MAC_TX_ENTER                  42u /* MAC: send */
#define GPIORIG_MAC_TX_EXIT                   43u /* MAC: send */
#define GPIORIG_MAC_RX_ENTER                  44u /* MAC: receive */
#define GPIORIG_MAC_RX_EXIT                   45u /* MAC: receive */
#define GPIORIG_MAC_SEQUENCE                  46u /* the id is the IEEE 802.15.4 sequence number of the packet in hand */
#define GPIORIG_MAC_BACKOFF_ENTER             48u /* MAC: software CSMA/CA backoff */
#define GPIORIG_MAC_BACKOFF_EXIT              49u /* MAC: software CSMA/CA backoff */
#define GPIORIG_MAC_ACK_WAIT_ENTER            50u /* MAC: software wait for the acknowledgement */
#define GPIORIG_MAC_ACK_WAIT_EXIT             51u /* MAC: software wait for the acknowledgement */
#define GPIORIG_DRIVER_TX_ENTER               52u /* driver: send call */
#define GPIORIG_DRIVER_TX_EXIT                53u /* driver: send call */
#define GPIORIG_DRIVER_PREPARE_ENTER          54u /* driver: radio brought to its transmit state */
#define GPIORIG_DRIVER_PREPARE_EXIT           55u /* driver: radio brought to its transmit state */
#define GPIORIG_DRIVER_LOAD_ENTER             56u /* driver: frame written to the radio */
#define GPIORIG_DRIVER_LOAD_EXIT              57u /* driver: frame written to the radio */
#define GPIORIG_DRIVER_EXEC_ENTER             58u /* driver: start of transmission commanded */
#define GPIORIG_DRIVER_EXEC_EXIT              59u /* driver: start of transmission commanded */
#define GPIORIG_DRIVER_ISR_ENTER              60u /* driver: radio interrupt handled outside the interrupt */
#define GPIORIG_DRIVER_ISR_EXIT               61u /* driver: radio interrupt handled outside the interrupt */
#define GPIORIG_DRIVER_RX_LENGTH_ENTER        62u /* driver: length of a received frame read */
#define GPIORIG_DRIVER_RX_LENGTH_EXIT         63u /* driver: length of a received frame read */
#define GPIORIG_DRIVER_RX_READ_ENTER          64u /* driver: received frame read from the radio; the exit carries the id */
#define GPIORIG_DRIVER_RX_READ_EXIT           65u /* driver: received frame read from the radio; the exit carries the id */
#define GPIORIG_DRIVER_RX_DROP                66u /* driver: received frame dropped */
#define GPIORIG_DRIVER_CONFIRM                67u /* driver: end of transmission confirmed to the MAC */
#define GPIORIG_RADIO_RX_START                68u /* radio event: reception began */
#define GPIORIG_RADIO_RX_COMPLETE             69u /* radio event: frame received */
#define GPIORIG_RADIO_RX_CRC_ERROR            70u /* radio event: frame with a wrong checksum */
#define GPIORIG_RADIO_TX_START                71u /* radio event: transmission began */
#define GPIORIG_RADIO_TX_COMPLETE             72u /* radio event: transmission done, acknowledged if asked */
#define GPIORIG_RADIO_TX_NO_ACK               73u /* radio event: no acknowledgement came */
#define GPIORIG_RADIO_TX_BUSY                 74u /* radio event: channel access failed */
#define GPIORIG_RADIO_SET_RX                  75u /* radio commanded to receive */
#define GPIORIG_RADIO_SET_IDLE                76u /* radio commanded to idle */
#define GPIORIG_RADIO_CCA                     77u /* clear channel assessment commanded */
#define GPIORIG_ISR_RADIO_ENTER               78u /* interrupt service routine of the radio's line */
#define GPIORIG_ISR_RADIO_EXIT                79u /* interrupt service routine of the radio's line */
#define GPIORIG_ISR_TIMER_ENTER               80u /* interrupt service routine of a timer */
#define GPIORIG_ISR_TIMER_EXIT                81u /* interrupt service routine of a timer */
#define GPIORIG_ISR_UART_ENTER                82u /* interrupt service routine of a UART */
#define GPIORIG_ISR_UART_EXIT                 83u /* interrupt service routine of a UART */
#define GPIORIG_ISR_DMA_ENTER                 84u /* interrupt service routine of a DMA channel */
#define GPIORIG_ISR_DMA_EXIT                  85u /* interrupt service routine of a DMA channel */
#define GPIORIG_ISR_OTHER_ENTER               86u /* any other interrupt service routine; the id is the IRQ number */
#define GPIORIG_ISR_OTHER_EXIT                87u /* any other interrupt service routine; the id is the IRQ number */
#define GPIORIG_SCHED_SWITCH                  88u /* the scheduler gives the processor to the thread in the id */
#define GPIORIG_SCHED_SLEEP_ENTER             90u /* the processor sleeps */
#define GPIORIG_SCHED_SLEEP_EXIT              91u /* the processor sleeps */
#define GPIORIG_TASK_RUN_ENTER                92u /* a task or process runs; the id names it */
#define GPIORIG_TASK_RUN_EXIT                 93u /* a task or process runs; the id names it */
#define GPIORIG_QUEUE_POST                    94u /* a message or event queued; the id names the queue */
#define GPIORIG_QUEUE_FETCH                   95u /* a message or event fetched; the id names the queue */
#define GPIORIG_QUEUE_DROP                    96u /* a message or event dropped, queue full; the id names the queue */
#define GPIORIG_TIMER_SET                     97u /* a software timer set */
#define GPIORIG_TIMER_FIRE_ENTER              98u /* a software timer's callback */
#define GPIORIG_TIMER_FIRE_EXIT               99u /* a software timer's callback */
#define GPIORIG_SLOT_FRAME                   100u /* TDMA frame or TSCH slotframe began; the id counts */
#define GPIORIG_SLOT_ACTIVE_ENTER            102u /* a slot; the id is its low 16 bits of absolute slot number */
#define GPIORIG_SLOT_ACTIVE_EXIT             103u /* a slot; the id is its low 16 bits of absolute slot number */
#define GPIORIG_SLOT_TX_ENTER                104u /* transmit part of a slot */
#define GPIORIG_SLOT_TX_EXIT                 105u /* transmit part of a slot */
#define GPIORIG_SLOT_RX_ENTER                106u /* receive part of a slot */
#define GPIORIG_SLOT_RX_EXIT                 107u /* receive part of a slot */
#define GPIORIG_SLOT_INTERRUPT               108u /* slot state machine entered from its timer */
#define GPIORIG_QUEUE_PASS                   109u /* a packet handed on to the queue of another layer; the id is the packet's */
#define GPIORIG_TASK_DUE                     110u /* a task that its timer has made due, and that will run; the id names it */
#define GPIORIG_CODES                        111u

/** The groups of the masks: the first parts of the names. */
enum gpiorig_group {
    GPIORIG_GROUP_RIG,
    GPIORIG_GROUP_APP,
    GPIORIG_GROUP_SOCK,
    GPIORIG_GROUP_UDP,
    GPIORIG_GROUP_IPV6,
    GPIORIG_GROUP_SIXLOWPAN,
    GPIORIG_GROUP_MAC,
    GPIORIG_GROUP_DRIVER,
    GPIORIG_GROUP_RADIO,
    GPIORIG_GROUP_ISR,
    GPIORIG_GROUP_SCHED,
    GPIORIG_GROUP_TASK,
    GPIORIG_GROUP_QUEUE,
    GPIORIG_GROUP_TIMER,
    GPIORIG_GROUP_SLOT,
    GPIORIG_GROUPS
};

#endif
