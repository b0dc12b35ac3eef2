/** How much of what the 10 KiB of RAM hold. */
#ifndef BOARD_LIMITS_H
#define BOARD_LIMITS_H

#define QUEUE_LENGTH_MAX 8u /* messages */
#define PACKETS 8u          /* buffers of packet.h */
#define UART_RING 1024u     /* bytes */

#endif
