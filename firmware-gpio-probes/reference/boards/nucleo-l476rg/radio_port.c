#include "radio_port.h"

#include "gpiorig/probe.h"

#if defined RADIO_IS_at86rf231
#include "at86rf231_port.h"
#endif
#include "interrupts.h"
#include "spi.h"
#include "board.h"
#include "timer.h"
#include "wiring.h"

void radio_port_init(void)
{
    RCC_AHB2ENR |= RCC_AHB2ENR_GPIO(PORT_A) | RCC_AHB2ENR_GPIO(PORT_B) | RCC_AHB2ENR_GPIO(PORT_C);
    gpio_set(PORT_B, SELECT_PIN);
    gpio_mode(PORT_B, SELECT_PIN, GPIO_OUTPUT);
#if defined RADIO_IS_spirit1
    gpio_set(PORT_A, SHUTDOWN_PIN);
    gpio_mode(PORT_A, SHUTDOWN_PIN, GPIO_OUTPUT);
#else
    gpio_set(PORT_A, RESET_PIN);
    gpio_mode(PORT_A, RESET_PIN, GPIO_OUTPUT);
    gpio_clear(PORT_A, SLEEP_PIN);
    gpio_mode(PORT_A, SLEEP_PIN, GPIO_OUTPUT);
#endif
    gpio_mode(PORT_C, INTERRUPT_PIN, GPIO_INPUT);
    spi_init();
}

void radio_port_select(void)
{
    gpio_clear(PORT_B, SELECT_PIN);
}

void radio_port_deselect(void)
{
    gpio_set(PORT_B, SELECT_PIN);
}

static void listen_to_interrupt(void)
{
    RCC_APB2ENR |= RCC_APB2ENR_SYSCFG;
    SYSCFG_EXTICR2 = (SYSCFG_EXTICR2 & ~SYSCFG_EXTICR2_EXTI7) | SYSCFG_EXTICR2_EXTI7_PC;
    EXTI_PR1 = 1u << INTERRUPT_PIN;
    EXTI_IMR1 |= 1u << INTERRUPT_PIN;
    nvic_enable(IRQ_EXTI9_5, 1); /* as urgent as the timer: the two do not nest */
}

#if defined RADIO_IS_spirit1
/*
 * SDN high, then low; 1.5 ms at least until the chip is up (Contiki, platform/stm32nucleo-spirit1/spirit1.c). GPIO3 rests
 * low until it is nIRQ, so its falling edge is waited for only afterwards.
 */
void radio_port_reset(void)
{
    gpio_set(PORT_A, SHUTDOWN_PIN);
    timer_spin(100);
    gpio_clear(PORT_A, SHUTDOWN_PIN);
    timer_spin(2000);
    EXTI_FTSR1 |= 1u << INTERRUPT_PIN;
    listen_to_interrupt();
}
#elif defined RADIO_IS_mrf24j40
/* RESET low; then 2 ms for the oscillator (Microchip DS39776C 3.1). INT rests high until the driver turns its polarity. */
void radio_port_reset(void)
{
    gpio_clear(PORT_A, RESET_PIN);
    timer_spin(10);
    gpio_set(PORT_A, RESET_PIN);
    timer_spin(2000);
    EXTI_RTSR1 |= 1u << INTERRUPT_PIN;
    listen_to_interrupt();
}
#else
/* High for at least 62.5 ns, 5 cycles (Atmel 8111C 12.4, t7; unverified): two stores and two loads, 2 cycles each or more. */
void at86rf231_port_pulse_slp_tr(void)
{
    gpio_set(PORT_A, SLEEP_PIN);
    (void)GPIO_IDR(PORT_A);
    (void)GPIO_IDR(PORT_A);
    gpio_clear(PORT_A, SLEEP_PIN);
}

/* Atmel 8111C 12.4: /RST low for at least 625 ns (t10); 9.5: the crystal may take 1 ms after power-on. */
void radio_port_reset(void)
{
    timer_spin(1000);
    gpio_clear(PORT_A, RESET_PIN);
    timer_spin(10);
    gpio_set(PORT_A, RESET_PIN);
    timer_spin(100);
    EXTI_RTSR1 |= 1u << INTERRUPT_PIN;
    listen_to_interrupt();
}
#endif

bool radio_port_interrupt_level(void)
{
    return (GPIO_IDR(PORT_C) & (1u << INTERRUPT_PIN)) != 0;
}

void exti9_5_handler(void)
{
    GPIORIG_ENTER(ISR_RADIO);
    EXTI_PR1 = 1u << INTERRUPT_PIN; /* cleared by writing 1: RM0351 14.5.6 */
    radio_interrupt(timer_now());
    GPIORIG_EXIT(ISR_RADIO);
}
