# nRF52840-DK: nRF52840 at 64 MHz with the radio on the chip.
RADIO := nrf52840
include reference/boards/cortex_m/cortex_m.mk
TARGET_FLAGS += -mcpu=cortex-m4 -mfloat-abi=soft -DLINE_IS_OUT
LINK_SCRIPT := reference/boards/nrf52840dk/nrf52840.ld
