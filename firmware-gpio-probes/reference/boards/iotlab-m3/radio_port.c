#include "radio_port.h"

#include "gpiorig/probe.h"

#include "at86rf231_port.h"
#include "interrupts.h"
#include "spi.h"
#include "board.h"
#include "timer.h"

/* IoT-LAB M3: /SEL PA4, SLP_TR PA2, /RST PC1, IRQ PC4, and DIG2 on PB0, an input (RIOT, boards/common/iotlab). */
#define SELECT_PIN 4u
#define SLEEP_PIN 2u
#define RESET_PIN 1u
#define INTERRUPT_PIN 4u

void radio_port_init(void)
{
    RCC_APB2ENR |= RCC_APB2ENR_AFIO | RCC_APB2ENR_IOPA | RCC_APB2ENR_IOPB | RCC_APB2ENR_IOPC;
    gpio_set(GPIOA, SELECT_PIN);
    gpio_mode(GPIOA, SELECT_PIN, GPIO_OUTPUT);
    gpio_clear(GPIOA, SLEEP_PIN);
    gpio_mode(GPIOA, SLEEP_PIN, GPIO_OUTPUT);
    gpio_set(GPIOC, RESET_PIN);
    gpio_mode(GPIOC, RESET_PIN, GPIO_OUTPUT);
    gpio_mode(GPIOB, 0, GPIO_INPUT);
    gpio_mode(GPIOC, INTERRUPT_PIN, GPIO_INPUT);
    spi_init();

    AFIO_EXTICR2 = AFIO_EXTICR2_EXTI4_PC;
    EXTI_RTSR |= 1u << INTERRUPT_PIN;
    EXTI_PR = 1u << INTERRUPT_PIN;
    EXTI_IMR |= 1u << INTERRUPT_PIN;
    nvic_enable(IRQ_EXTI4, 1); /* as urgent as the timer: the two do not nest */
}

void radio_port_select(void)
{
    gpio_clear(GPIOA, SELECT_PIN);
}

void radio_port_deselect(void)
{
    gpio_set(GPIOA, SELECT_PIN);
}

/* High for at least 62.5 ns, 4.5 cycles (Atmel 8111C 12.4, t7; unverified): two stores and two loads, 2 cycles each or more. */
void at86rf231_port_pulse_slp_tr(void)
{
    gpio_set(GPIOA, SLEEP_PIN);
    (void)GPIO_IDR(GPIOA);
    (void)GPIO_IDR(GPIOA);
    gpio_clear(GPIOA, SLEEP_PIN);
}

/* Atmel 8111C 12.4: /RST low for at least 625 ns (t10); 9.5: the crystal may take 1 ms after power-on. */
void radio_port_reset(void)
{
    timer_spin(1000);
    gpio_clear(GPIOC, RESET_PIN);
    timer_spin(10);
    gpio_set(GPIOC, RESET_PIN);
    timer_spin(100);
}

bool radio_port_interrupt_level(void)
{
    return (GPIO_IDR(GPIOC) & (1u << INTERRUPT_PIN)) != 0;
}

void exti4_handler(void)
{
    GPIORIG_ENTER(ISR_RADIO);
    EXTI_PR = 1u << INTERRUPT_PIN; /* cleared by writing 1: RM0008 10.3.6 */
    radio_interrupt(timer_now());
    GPIORIG_EXIT(ISR_RADIO);
}
