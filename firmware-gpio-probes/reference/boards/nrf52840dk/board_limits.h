/** How much of what the 256 KiB of RAM hold. */
#ifndef BOARD_LIMITS_H
#define BOARD_LIMITS_H

#define QUEUE_LENGTH_MAX 128u /* messages */
#define PACKETS 132u          /* buffers of packet.h: a queue full of them, and some in hand */
#define PAYLOAD_MAX 1000u     /* a datagram of 10 frames */
#define UART_RING 2048u       /* bytes */

/* An actor's stack, kernel/threads. */
#define STACK_BYTES(bytes) (bytes)

#endif
