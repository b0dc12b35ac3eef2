/** Stand-in for ST's libraries: the functions do nothing, in the order of bytes that a chip would see. */
#include "st.h"

#include <string.h>

uint32_t st_irqs;

void SpiritCmdStrobeCommand(SpiritCmd xCommandCode)
{
    (void)xCommandCode;
}

void SpiritIrqGetStatus(SpiritIrqs *pxIrqStatus)
{
    memcpy(pxIrqStatus, &st_irqs, sizeof *pxIrqStatus);
}

StatusBytes SdkEvalSpiWriteFifo(uint8_t cNbBytes, uint8_t *pcBuffer)
{
    return (StatusBytes){cNbBytes, pcBuffer[0]};
}

/* What the chip has received. */
static void read_frame(uint8_t *bytes, unsigned size)
{
    memset(bytes, 0x34, size);
    bytes[size - 2] = 0x12;
}

StatusBytes SdkEvalSpiReadFifo(uint8_t cNbBytes, uint8_t *pcBuffer)
{
    read_frame(pcBuffer, cNbBytes);
    return (StatusBytes){cNbBytes, 0x55};
}

HAL_StatusTypeDef HAL_SPI_Transmit(SPI_HandleTypeDef *hspi, uint8_t *pData, uint16_t Size, uint32_t Timeout)
{
    (void)hspi;
    (void)pData;
    (void)Size;
    (void)Timeout;
    return HAL_OK;
}

HAL_StatusTypeDef HAL_SPI_Receive(SPI_HandleTypeDef *hspi, uint8_t *pData, uint16_t Size, uint32_t Timeout)
{
    (void)hspi;
    (void)Timeout;
    read_frame(pData, Size);
    return HAL_OK;
}

HAL_StatusTypeDef HAL_SPI_TransmitReceive(SPI_HandleTypeDef *hspi, uint8_t *pTxData, uint8_t *pRxData, uint16_t Size,
                                          uint32_t Timeout)
{
    (void)hspi;
    (void)pTxData;
    (void)Timeout;
    read_frame(pRxData, Size);
    return HAL_OK;
}

/* As in ST's HAL, the default and its caller are in one file. */
__attribute__((weak)) void HAL_GPIO_EXTI_Callback(uint16_t GPIO_Pin)
{
    (void)GPIO_Pin;
}

void HAL_GPIO_EXTI_IRQHandler(uint16_t GPIO_Pin)
{
    HAL_GPIO_EXTI_Callback(GPIO_Pin);
}
