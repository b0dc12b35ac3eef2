/** How much of what the 10 KiB of RAM hold. */
#ifndef BOARD_LIMITS_H
#define BOARD_LIMITS_H

#define QUEUE_LENGTH_MAX 8u /* messages */
#define PACKETS 8u          /* buffers of packet.h */
#define PAYLOAD_MAX 219u    /* a datagram of two or three frames */
#define UART_RING 1024u     /* bytes */

/* An actor's stack, kernel/threads. */
#define STACK_BYTES(bytes) ((bytes) / 2u) /* what 32-bit boards need, halved: a register has 16 bits */

#endif
