/** What the SPIRIT1 hooks stand on, with ST's names and types: SPIRIT_Commands.h, SPIRIT_Irq.h, MCU_Interface.h, HAL. */
#ifndef ST_H
#define ST_H

#include <stdint.h>

typedef enum { CMD_TX = 0x60, CMD_RX = 0x61, CMD_READY = 0x62 } SpiritCmd;
void SpiritCmdStrobeCommand(SpiritCmd xCommandCode);

/* 32 bits in ST's, named one by one; here those that matter. */
typedef struct {
    uint32_t IRQ_RX_DATA_READY : 1, : 1, IRQ_TX_DATA_SENT : 1, IRQ_MAX_RE_TX_REACH : 1, IRQ_CRC_ERROR : 1, : 6,
        IRQ_MAX_BO_CCA_REACH : 1, : 1, IRQ_VALID_SYNC : 1, : 18;
} SpiritIrqs;
void SpiritIrqGetStatus(SpiritIrqs *pxIrqStatus);

typedef struct {
    uint8_t MC_STATE, flags;
} StatusBytes;
StatusBytes SdkEvalSpiWriteFifo(uint8_t cNbBytes, uint8_t *pcBuffer);
StatusBytes SdkEvalSpiReadFifo(uint8_t cNbBytes, uint8_t *pcBuffer);

typedef enum { HAL_OK } HAL_StatusTypeDef;
typedef struct {
    int unused;
} SPI_HandleTypeDef;
HAL_StatusTypeDef HAL_SPI_Transmit(SPI_HandleTypeDef *hspi, uint8_t *pData, uint16_t Size, uint32_t Timeout);
HAL_StatusTypeDef HAL_SPI_Receive(SPI_HandleTypeDef *hspi, uint8_t *pData, uint16_t Size, uint32_t Timeout);
HAL_StatusTypeDef HAL_SPI_TransmitReceive(SPI_HandleTypeDef *hspi, uint8_t *pTxData, uint8_t *pRxData, uint16_t Size,
                                          uint32_t Timeout);
void HAL_GPIO_EXTI_IRQHandler(uint16_t GPIO_Pin);
void HAL_GPIO_EXTI_Callback(uint16_t GPIO_Pin);

/** What the next SpiritIrqGetStatus() says. */
extern uint32_t st_irqs;

#endif
