#include "radio_port.h"

#include "gpiorig/probe.h"

#include "board.h"
#include "interrupts.h"
#include "spi.h"
#include "timer.h"
#include "wiring.h"
#include "work.h"

void radio_port_init(void)
{
    RCC_AHB2ENR |= RCC_AHB2ENR_GPIOA | RCC_AHB2ENR_GPIOB | RCC_AHB2ENR_GPIOC;
    RCC_APB2ENR |= RCC_APB2ENR_SYSCFG;
    gpio_set(SELECT_PORT, SELECT_PIN);
    gpio_mode(SELECT_PORT, SELECT_PIN, GPIO_OUTPUT);
    gpio_mode(INTERRUPT_PORT, INTERRUPT_PIN, GPIO_INPUT);
#if defined RADIO_IS_spirit1
    gpio_set(SHUTDOWN_PORT, SHUTDOWN_PIN);
    gpio_mode(SHUTDOWN_PORT, SHUTDOWN_PIN, GPIO_OUTPUT);
    EXTI_FTSR1 |= 1u << INTERRUPT_PIN; /* nIRQ is active low */
#else
    gpio_set(RESET_PORT, RESET_PIN);
    gpio_mode(RESET_PORT, RESET_PIN, GPIO_OUTPUT);
    gpio_clear(SLEEP_PORT, SLEEP_PIN);
    gpio_mode(SLEEP_PORT, SLEEP_PIN, GPIO_OUTPUT);
    EXTI_RTSR1 |= 1u << INTERRUPT_PIN;
#endif
    spi_init();

    SYSCFG_EXTICR2 |= SYSCFG_EXTICR2_EXTI7_PC;
    EXTI_PR1 = 1u << INTERRUPT_PIN;
    EXTI_IMR1 |= 1u << INTERRUPT_PIN;
    nvic_enable(IRQ_EXTI9_5, 1); /* as urgent as the timer: the two do not nest */
}

void radio_port_select(void)
{
    gpio_clear(SELECT_PORT, SELECT_PIN);
}

void radio_port_deselect(void)
{
    gpio_set(SELECT_PORT, SELECT_PIN);
}

#if defined RADIO_IS_spirit1
/* SDN high is shutdown, low again the way to READY, which takes 650 us, and with the crystal's start 1.5 ms (DocID022758 9.2, ST's library). */
void radio_port_reset(void)
{
    gpio_set(SHUTDOWN_PORT, SHUTDOWN_PIN);
    timer_spin(1000);
    gpio_clear(SHUTDOWN_PORT, SHUTDOWN_PIN);
    timer_spin(1500);
}
#else
/* Atmel 8111C 12.4: /RST low for at least 625 ns (t10); 9.5: the crystal may take 1 ms after power-on. */
void radio_port_reset(void)
{
    timer_spin(1000);
    gpio_clear(RESET_PORT, RESET_PIN);
    timer_spin(10);
    gpio_set(RESET_PORT, RESET_PIN);
    timer_spin(100);
}
#endif

bool radio_port_interrupt_level(void)
{
    return (GPIO_IDR(INTERRUPT_PORT) & (1u << INTERRUPT_PIN)) != 0;
}

void exti9_5_handler(void)
{
    GPIORIG_ENTER(ISR_RADIO);
    EXTI_PR1 = 1u << INTERRUPT_PIN; /* cleared by writing 1: RM0351 14.5.6 */
    work_post(WORK_RADIO);
    GPIORIG_EXIT(ISR_RADIO);
}
