/**
 * The registers of the nRF52840 that this firmware touches, and no others.
 * Source: nRF52840 Product Specification (PS); each block names its section. Registers of the radio: nrf52840_radio.h.
 */
#ifndef NRF52840_H
#define NRF52840_H

#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(address))

/* FICR */
#define FICR_DEVICEID(word) REG(0x10000060u + 4u * (word))
/* nrfx 3.14.0, nrf52_erratas.h: the part, and its revision, from 5 on with nrf52_configuration_249 */
#define FICR_PART REG(0x10000130u)
#define FICR_PART_NRF52840 8u
#define FICR_REVISION REG(0x10000134u)
#define FICR_REVISION_FXX 5u

/* UICR, and the access port's protection (nrf52840.svd, nrfx 3.14.0) */
#define UICR_APPROTECT REG(0x10001208u)
#define UICR_ERASED 0xFFFFFFFFu
#define APPROTECT_PALL 0xFFu
#define UICR_APPROTECT_HWDISABLED 0xFFFFFF5Au
#define APPROTECT_DISABLE REG(0x40000558u)
#define APPROTECT_DISABLE_SWDISABLE 0x5Au

/* CLOCK */
#define CLOCK_TASKS_HFCLKSTART REG(0x40000000u)
#define CLOCK_EVENTS_HFCLKSTARTED REG(0x40000100u)

/* NVMC */
#define NVMC_READY REG(0x4001E400u)
#define NVMC_CONFIG REG(0x4001E504u)
#define NVMC_CONFIG_WEN (1u << 0)
#define NVMC_ICACHECNF REG(0x4001E540u)
#define NVMC_ICACHECNF_CACHEEN (1u << 0)

/* UART, without EasyDMA: six bytes wait in its receiver */
#define UART0_TASKS_STARTRX REG(0x40002000u)
#define UART0_TASKS_STARTTX REG(0x40002008u)
#define UART0_EVENTS_RXDRDY REG(0x40002108u)
#define UART0_EVENTS_TXDRDY REG(0x4000211Cu)
#define UART0_INTENSET REG(0x40002304u)
#define UART_RXDRDY (1u << 2)
#define UART_TXDRDY (1u << 7)
#define UART0_ENABLE REG(0x40002500u)
#define UART_ENABLED 4u
#define UART0_PSELTXD REG(0x4000250Cu)
#define UART0_PSELRXD REG(0x40002514u)
#define UART0_RXD REG(0x40002518u)
#define UART0_TXD REG(0x4000251Cu)
#define UART0_BAUDRATE REG(0x40002524u)
#define UART_BAUDRATE_1M 0x10000000u
#define IRQ_UART0 2u

/* TIMER */
#define TIMER0 0x40008000u
#define TIMER1 0x40009000u
#define TIMER_TASKS_START(timer) REG((timer) + 0x000u)
#define TIMER_TASKS_CLEAR(timer) REG((timer) + 0x00Cu)
#define TIMER_TASKS_CAPTURE(timer, channel) REG((timer) + 0x040u + 4u * (channel))
#define TIMER_EVENTS_COMPARE(timer, channel) REG((timer) + 0x140u + 4u * (channel))
#define TIMER_SHORTS(timer) REG((timer) + 0x200u)
#define TIMER_COMPARE_STOP(channel) (1u << (8u + (channel)))
#define TIMER_INTENSET(timer) REG((timer) + 0x304u)
#define TIMER_INTENCLR(timer) REG((timer) + 0x308u)
#define TIMER_COMPARE(channel) (1u << (16u + (channel)))
#define TIMER_BITMODE(timer) REG((timer) + 0x508u)
#define TIMER_BITMODE_32 3u
#define TIMER_PRESCALER(timer) REG((timer) + 0x510u)
#define TIMER_CC(timer, channel) REG((timer) + 0x540u + 4u * (channel))
#define IRQ_TIMER1 9u

/* PPI */
#define PPI_CHENSET REG(0x4001F504u)
#define PPI_CHENCLR REG(0x4001F508u)
#define PPI_EEP(channel) REG(0x4001F510u + 8u * (channel))
#define PPI_TEP(channel) REG(0x4001F514u + 8u * (channel))
#define PPI_FORK_TEP(channel) REG(0x4001F910u + 4u * (channel))

/* GPIO */
#define P0_OUTSET REG(0x50000508u)
#define P0_PIN_CNF(pin) REG(0x50000700u + 4u * (pin))
#define PIN_CNF_OUTPUT 3u /* its input buffer is off */
#define PIN_CNF_INPUT 0u

#define IRQ_RADIO 1u

#define NVIC_ISPR(irq) REG(0xE000E200u + 4u * ((irq) / 32u))
#define NVIC_ICER(irq) REG(0xE000E180u + 4u * ((irq) / 32u))

/** Makes an interrupt pending, as its peripheral would. */
static inline void nvic_pend(unsigned irq)
{
    NVIC_ISPR(irq) = 1u << (irq % 32u);
}

/** What is pending stays so. */
static inline void nvic_disable(unsigned irq)
{
    NVIC_ICER(irq) = 1u << (irq % 32u);
    __asm__ volatile("dsb\n\tisb" : : : "memory");
}

#endif
