/** A frame out and one in, as a driver on ST's libraries does it, or by HAL_SPI_* itself. No kernel runs. */
#include "../board.h"
#include "st.h"

#include "gpiorig/probe.h"

#define RADIO_PINS 0x0014u /* GPIORIG_SPIRIT1_IRQ_PINS */

static SPI_HandleTypeDef spi;

/* The kernel's handlers, that the vectors name. */
void svc_handler(void);
void pendsv_handler(void);
void systick_handler(void);

void svc_handler(void)
{
}

void pendsv_handler(void)
{
}

void systick_handler(void)
{
}

static void received(void)
{
    uint8_t frame[8];
    SpiritIrqs irqs;

    st_irqs = 1u | 1u << 13; /* received, sync word */
    SpiritIrqGetStatus(&irqs);
    SdkEvalSpiReadFifo(sizeof frame, frame);
    SpiritCmdStrobeCommand(CMD_RX);
}

/** The strong one: called by the HAL for each line. */
void HAL_GPIO_EXTI_Callback(uint16_t pins)
{
    GPIORIG_EVENT_ID(RIG_MARKER, pins);
    if ((pins & RADIO_PINS) != 0) {
        received();
    }
}

static void by_library(void)
{
    /* sent, no acknowledgement, wrong CRC, channel busy */
    static const uint32_t ended[] = {1u << 2, 1u << 3, 1u << 4, 1u << 11};
    uint8_t frame[] = {0x41, 0x88, 1, 2, 3, 0xbe, 0xef};
    SpiritIrqs irqs;

    SpiritCmdStrobeCommand(CMD_READY);
    if (SdkEvalSpiWriteFifo(sizeof frame, frame).flags != frame[0]) {
        failed(__LINE__); /* the status bytes come back */
    }
    SpiritCmdStrobeCommand(CMD_TX);
    for (unsigned at = 0; at < sizeof ended / sizeof *ended; at++) {
        st_irqs = ended[at];
        SpiritIrqGetStatus(&irqs);
    }
    HAL_GPIO_EXTI_IRQHandler(0x0004);
    HAL_GPIO_EXTI_IRQHandler(0x2000); /* a button */
}

static void by_hal(void)
{
    uint8_t ready[] = {0x80, 0x62}, load[] = {0x00, 0xff, 1, 2, 3, 0xbe, 0xef}, send[] = {0x80, 0x60};
    uint8_t announce[] = {0x01, 0xff}, frame[8], both[10] = {0x01, 0xff}, in[10], reg[] = {0x01, 0xc1, 0}, rx[] = {0x80, 0x61};

    HAL_SPI_Transmit(&spi, ready, sizeof ready, 1);
    HAL_SPI_Transmit(&spi, load, sizeof load, 1);
    HAL_SPI_Transmit(&spi, send, sizeof send, 1);
    HAL_SPI_TransmitReceive(&spi, reg, in, sizeof reg, 1); /* a register */
    HAL_SPI_Transmit(&spi, announce, sizeof announce, 1);
    HAL_SPI_Receive(&spi, frame, sizeof frame, 1);
    HAL_SPI_TransmitReceive(&spi, both, in, sizeof both, 1);
    HAL_SPI_Transmit(&spi, rx, sizeof rx, 1);
    HAL_GPIO_EXTI_IRQHandler(0x2000); /* a button */
}

int main(void)
{
    console_init();
    gpiorig_init();
#ifdef GPIORIG_SPIRIT1_HAL_SPI
    by_hal();
    (void)by_library;
#else
    by_library();
    (void)by_hal;
#endif
    print("done");
    print_number("frames", gpiorig_frames());
    print("\n");
    for (;;) {
    }
}
