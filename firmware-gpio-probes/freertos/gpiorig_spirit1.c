/**
 * Probes in a SPIRIT1 driver on ST's libraries, by --wrap of what crosses files (gpiorig_freertos.mk, docs/guide/freertos.md):
 *
 *     driver.load, driver.rx_read   the FIFO is written, read; the id is the last two bytes
 *     driver.exec                   the strobe TX, with the id of what was loaded before
 *     radio.set_rx, .set_idle       the strobe RX; READY, STANDBY, SLEEP, SABORT
 *     radio.*                       what the driver learns when it reads the chip's interrupts
 *     isr.radio                     HAL_GPIO_EXTI_IRQHandler for GPIORIG_SPIRIT1_IRQ_PINS, a mask of pin numbers
 *
 * With GPIORIG_SPIRIT1_HAL_SPI the first three come from the bytes that HAL_SPI_* transfers, for drivers that do without
 * ST's radio library. No header of ST's is needed: functions are declared with the types that the ABI passes (AAPCS 6.4).
 */
#ifndef GPIORIG_OFF

#include <stddef.h>

#include "gpiorig/probe.h"

/* SPIRIT1, DocID022758: SPI headers figure 21 ff., FIFO address and command codes table 35. */
#define HEADER_WRITE 0x00u
#define HEADER_READ 0x01u
#define HEADER_COMMAND 0x80u
#define FIFO 0xFFu
#define COMMAND_TX 0x60u
#define COMMAND_RX 0x61u
#define COMMAND_READY 0x62u
#define COMMAND_STANDBY 0x63u
#define COMMAND_SLEEP 0x64u
#define COMMAND_SABORT 0x67u

static uint16_t loaded; /* id of the frame in the chip's transmit FIFO */

/** What a strobe commands other than a transmission. */
static void commanded(uint8_t command)
{
    switch (command) {
    case COMMAND_RX:
        GPIORIG_EVENT(RADIO_SET_RX);
        break;
    case COMMAND_READY:
    case COMMAND_STANDBY:
    case COMMAND_SLEEP:
    case COMMAND_SABORT:
        GPIORIG_EVENT(RADIO_SET_IDLE);
        break;
    default:
        break;
    }
}

/** The last two bytes of a frame; 0 for one that is shorter. */
static uint16_t tail(const uint8_t *bytes, uint32_t size)
{
    return size < 2 ? 0 : (uint16_t)(bytes[size - 2] << 8 | bytes[size - 1]);
}

#ifdef GPIORIG_SPIRIT1_HAL_SPI

enum transfer { OTHER, LOAD, READ, EXEC };

/**
 * What a transfer is, by its first two bytes; a driver that sends them in a transfer of their own gets the span around
 * the next one.
 */
static enum transfer transfer_of(const uint8_t *out, uint16_t size)
{
    static enum transfer announced;
    enum transfer kind = announced;

    announced = OTHER;
    if (kind != OTHER || out == NULL || size < 2) {
        return kind;
    }
    if (out[0] == HEADER_COMMAND) {
        commanded(out[1]);
        return out[1] == COMMAND_TX ? EXEC : OTHER;
    }
    kind = out[1] != FIFO ? OTHER : out[0] == HEADER_WRITE ? LOAD : out[0] == HEADER_READ ? READ : OTHER;
    if (size == 2) {
        announced = kind;
        return OTHER;
    }
    return kind;
}

static enum transfer begin(const uint8_t *out, uint16_t size)
{
    enum transfer kind = transfer_of(out, size);

    if (kind == LOAD) {
        loaded = tail(out, size);
        GPIORIG_ENTER_ID(DRIVER_LOAD, loaded);
    } else if (kind == READ) {
        GPIORIG_ENTER(DRIVER_RX_READ);
    } else if (kind == EXEC) {
        GPIORIG_ENTER_ID(DRIVER_EXEC, loaded);
    }
    return kind;
}

static void end(enum transfer kind, const uint8_t *in, uint16_t size)
{
    if (kind == LOAD) {
        GPIORIG_EXIT_ID(DRIVER_LOAD, loaded);
    } else if (kind == READ) {
        GPIORIG_EXIT_ID(DRIVER_RX_READ, in == NULL ? 0 : tail(in, size));
    } else if (kind == EXEC) {
        GPIORIG_EXIT_ID(DRIVER_EXEC, loaded);
    }
}

/* stm32l4xx_hal_spi.h: HAL_StatusTypeDef is an enum, SPI_HandleTypeDef a struct that only its address is passed of. */
uint32_t __real_HAL_SPI_Transmit(void *spi, uint8_t *out, uint16_t size, uint32_t timeout);
uint32_t __real_HAL_SPI_Receive(void *spi, uint8_t *in, uint16_t size, uint32_t timeout);
uint32_t __real_HAL_SPI_TransmitReceive(void *spi, uint8_t *out, uint8_t *in, uint16_t size, uint32_t timeout);
uint32_t __wrap_HAL_SPI_Transmit(void *spi, uint8_t *out, uint16_t size, uint32_t timeout);
uint32_t __wrap_HAL_SPI_Receive(void *spi, uint8_t *in, uint16_t size, uint32_t timeout);
uint32_t __wrap_HAL_SPI_TransmitReceive(void *spi, uint8_t *out, uint8_t *in, uint16_t size, uint32_t timeout);

uint32_t __wrap_HAL_SPI_Transmit(void *spi, uint8_t *out, uint16_t size, uint32_t timeout)
{
    enum transfer kind = begin(out, size);
    uint32_t status = __real_HAL_SPI_Transmit(spi, out, size, timeout);

    end(kind, NULL, size);
    return status;
}

uint32_t __wrap_HAL_SPI_Receive(void *spi, uint8_t *in, uint16_t size, uint32_t timeout)
{
    enum transfer kind = begin(NULL, size);
    uint32_t status = __real_HAL_SPI_Receive(spi, in, size, timeout);

    end(kind, in, size);
    return status;
}

uint32_t __wrap_HAL_SPI_TransmitReceive(void *spi, uint8_t *out, uint8_t *in, uint16_t size, uint32_t timeout)
{
    enum transfer kind = begin(out, size);
    uint32_t status = __real_HAL_SPI_TransmitReceive(spi, out, in, size, timeout);

    end(kind, in, size);
    return status;
}

#else /* ST's radio library */

/* SPIRIT_Commands.h; SpiritCmd is an enum of one byte. The macros SpiritCmdStrobeTx() and so on stand on it. */
void __real_SpiritCmdStrobeCommand(uint8_t command);
void __wrap_SpiritCmdStrobeCommand(uint8_t command);

void __wrap_SpiritCmdStrobeCommand(uint8_t command)
{
    if (command != COMMAND_TX) {
        commanded(command);
        __real_SpiritCmdStrobeCommand(command);
        return;
    }
    GPIORIG_ENTER_ID(DRIVER_EXEC, loaded);
    __real_SpiritCmdStrobeCommand(command);
    GPIORIG_EXIT_ID(DRIVER_EXEC, loaded);
}

/*
 * MCU_Interface.h maps SpiritSpiWriteLinearFifo to a function of the board's own, SdkEvalSpiWriteFifo in ST's examples. It
 * returns the chip's two status bytes, in a register.
 */
#define WRAP_(name) __wrap_##name
#define WRAP(name) WRAP_(name)
#define REAL_(name) __real_##name
#define REAL(name) REAL_(name)
uint32_t REAL(GPIORIG_SPIRIT1_WRITE_FIFO)(uint8_t size, uint8_t *bytes);
uint32_t REAL(GPIORIG_SPIRIT1_READ_FIFO)(uint8_t size, uint8_t *bytes);
uint32_t WRAP(GPIORIG_SPIRIT1_WRITE_FIFO)(uint8_t size, uint8_t *bytes);
uint32_t WRAP(GPIORIG_SPIRIT1_READ_FIFO)(uint8_t size, uint8_t *bytes);

uint32_t WRAP(GPIORIG_SPIRIT1_WRITE_FIFO)(uint8_t size, uint8_t *bytes)
{
    uint32_t status;

    loaded = tail(bytes, size);
    GPIORIG_ENTER_ID(DRIVER_LOAD, loaded);
    status = REAL(GPIORIG_SPIRIT1_WRITE_FIFO)(size, bytes);
    GPIORIG_EXIT_ID(DRIVER_LOAD, loaded);
    return status;
}

uint32_t WRAP(GPIORIG_SPIRIT1_READ_FIFO)(uint8_t size, uint8_t *bytes)
{
    uint32_t status;

    GPIORIG_ENTER(DRIVER_RX_READ);
    status = REAL(GPIORIG_SPIRIT1_READ_FIFO)(size, bytes);
    GPIORIG_EXIT_ID(DRIVER_RX_READ, tail(bytes, size));
    return status;
}

/* SPIRIT_Irq.h: SpiritIrqs is 32 bits, the first field in bit 0; IrqList gives the same bits. */
#define IRQ_RX_DATA_READY 0x00000001u
#define IRQ_TX_DATA_SENT 0x00000004u
#define IRQ_MAX_RE_TX_REACH 0x00000008u
#define IRQ_CRC_ERROR 0x00000010u
#define IRQ_MAX_BO_CCA_REACH 0x00000800u
#define IRQ_VALID_SYNC 0x00002000u

void __real_SpiritIrqGetStatus(uint32_t *irqs);
void __wrap_SpiritIrqGetStatus(uint32_t *irqs);

void __wrap_SpiritIrqGetStatus(uint32_t *irqs)
{
    __real_SpiritIrqGetStatus(irqs);
    if ((*irqs & IRQ_VALID_SYNC) != 0) {
        GPIORIG_EVENT(RADIO_RX_START);
    }
    if ((*irqs & IRQ_RX_DATA_READY) != 0) {
        GPIORIG_EVENT(RADIO_RX_COMPLETE);
    }
    if ((*irqs & IRQ_CRC_ERROR) != 0) {
        GPIORIG_EVENT(RADIO_RX_CRC_ERROR);
    }
    if ((*irqs & IRQ_TX_DATA_SENT) != 0) {
        GPIORIG_EVENT_ID(RADIO_TX_COMPLETE, loaded);
    }
    if ((*irqs & IRQ_MAX_RE_TX_REACH) != 0) {
        GPIORIG_EVENT_ID(RADIO_TX_NO_ACK, loaded);
    }
    if ((*irqs & IRQ_MAX_BO_CCA_REACH) != 0) {
        GPIORIG_EVENT_ID(RADIO_TX_BUSY, loaded);
    }
}

#endif

/*
 * stm32l4xx_hal_gpio.h. Not HAL_GPIO_EXTI_Callback: its weak default is in the file that calls it, so --wrap does not see
 * the call, and reports nothing.
 */
void __real_HAL_GPIO_EXTI_IRQHandler(uint16_t pins);
void __wrap_HAL_GPIO_EXTI_IRQHandler(uint16_t pins);

void __wrap_HAL_GPIO_EXTI_IRQHandler(uint16_t pins)
{
    if ((pins & (GPIORIG_SPIRIT1_IRQ_PINS)) == 0) {
        __real_HAL_GPIO_EXTI_IRQHandler(pins);
        return;
    }
    GPIORIG_ENTER(ISR_RADIO);
    __real_HAL_GPIO_EXTI_IRQHandler(pins);
    GPIORIG_EXIT(ISR_RADIO);
}

#else
typedef int gpiorig_spirit1_is_off; /* ISO C wants a declaration in every file */
#endif
