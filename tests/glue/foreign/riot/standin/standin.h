/** What the files of the stand-in share. The stand-in has RIOT's function names, one file where RIOT has another. */
#ifndef STANDIN_H
#define STANDIN_H

#include "event.h"
#include "msg.h"
#include "net/gnrc/netif.h"
#include "net/gnrc/pkt.h"
#include "thread_flags.h"

#define PORT 0xf0b0u
#define QUEUE_LENGTH 8u

/* kernel.c */
_Noreturn void kernel_start(void);
thread_t *thread_get_active(void);
void thread_block(void);
void thread_wake(kernel_pid_t pid);
#define THREAD_FLAG_EVENT 1u
#define THREAD_FLAG_MSG_WAITING (1u << 15)

/* board.c: the radio and the timer are compare channels of TIM2; a callback each */
void air_in(uint32_t us, void (*callback)(void));
void timer_in(uint32_t us);

/* stack */
extern kernel_pid_t udp_pid, ipv6_pid, sixlowpan_pid;
extern gnrc_netif_t netif;
void stack_start(void);
gnrc_pktsnip_t *gnrc_pktbuf_add(gnrc_pktsnip_t *next, const void *data, size_t size, gnrc_nettype_t type);
void gnrc_pktbuf_release(gnrc_pktsnip_t *pkt);

/* the sockets' mailbox, for UDP */
void *sock_mbox(void);

#endif
