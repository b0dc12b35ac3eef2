# For a FreeRTOS project's makefile: include it, then
#   GPIORIG_SOURCES    compile these with -O2 and GPIORIG_CPPFLAGS
#   GPIORIG_CPPFLAGS   for all of the project
#   GPIORIG_LDFLAGS    for the link, when GPIORIG_RADIO is set
# Before it, as wanted:
#   GPIORIG_PORT := nucleo-l476rg     or any folder of ports/
#   GPIORIG_RADIO := spirit1          ST's radio library; spirit1-hal: a driver that calls HAL_SPI_* itself
#   GPIORIG_SPIRIT1_WRITE_FIFO, GPIORIG_SPIRIT1_READ_FIFO    what MCU_Interface.h maps SpiritSpi...LinearFifo to
#   GPIORIG_SPIRIT1_IRQ_PINS := 0x0014                       pins of the radio's interrupt requests, here PC2 and PC4
#   GPIORIG_IRQS := 82                                       all interrupts, by vectors in RAM (L476; then call gpiorig_vectors_init())
GPIORIG := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))/..

ifneq (,$(findstring -flto,$(CFLAGS) $(LDFLAGS)))
$(error gpiorig: link-time optimisation takes calls away from --wrap without a word; build without -flto)
endif

GPIORIG_PORT ?= nucleo-l476rg
ifeq (,$(wildcard $(GPIORIG)/ports/$(GPIORIG_PORT)/port.h))
$(error gpiorig: GPIORIG_PORT=$(GPIORIG_PORT): there is no $(GPIORIG)/ports/$(GPIORIG_PORT)/port.h)
endif

GPIORIG_SOURCES := $(wildcard $(GPIORIG)/src/*.c)
GPIORIG_CPPFLAGS := -I$(GPIORIG)/include -I$(GPIORIG)/ports -I$(GPIORIG)/freertos -I$(GPIORIG)/cortex-m \
    -DGPIORIG_PORT=$(GPIORIG_PORT)
GPIORIG_WRAPS :=

ifdef GPIORIG_IRQS
GPIORIG_SOURCES += $(GPIORIG)/cortex-m/vectors.c
GPIORIG_CPPFLAGS += -DGPIORIG_IRQS=$(GPIORIG_IRQS) -DGPIORIG_IRQ_TABLE_STM32L4 -DGPIORIG_FREERTOS_ISR=0
endif

ifneq (,$(GPIORIG_RADIO))
ifeq (,$(filter spirit1 spirit1-hal,$(GPIORIG_RADIO)))
$(error gpiorig: GPIORIG_RADIO=$(GPIORIG_RADIO) is not known; spirit1 and spirit1-hal are)
endif
GPIORIG_SPIRIT1_WRITE_FIFO ?= SdkEvalSpiWriteFifo
GPIORIG_SPIRIT1_READ_FIFO ?= SdkEvalSpiReadFifo
GPIORIG_SPIRIT1_IRQ_PINS ?= 0x0014
GPIORIG_SOURCES += $(GPIORIG)/freertos/gpiorig_spirit1.c
GPIORIG_CPPFLAGS += -DGPIORIG_SPIRIT1_IRQ_PINS=$(GPIORIG_SPIRIT1_IRQ_PINS)
GPIORIG_WRAPS += HAL_GPIO_EXTI_IRQHandler
endif
ifeq ($(GPIORIG_RADIO),spirit1)
GPIORIG_CPPFLAGS += -DGPIORIG_SPIRIT1_WRITE_FIFO=$(GPIORIG_SPIRIT1_WRITE_FIFO) \
    -DGPIORIG_SPIRIT1_READ_FIFO=$(GPIORIG_SPIRIT1_READ_FIFO)
GPIORIG_WRAPS += SpiritCmdStrobeCommand SpiritIrqGetStatus $(GPIORIG_SPIRIT1_WRITE_FIFO) $(GPIORIG_SPIRIT1_READ_FIFO)
endif
ifeq ($(GPIORIG_RADIO),spirit1-hal)
GPIORIG_CPPFLAGS += -DGPIORIG_SPIRIT1_HAL_SPI
GPIORIG_WRAPS += HAL_SPI_Transmit HAL_SPI_Receive HAL_SPI_TransmitReceive
endif

# -u keeps a wrapper whose callers are gone, so that a function that vanished is a link error with its name.
GPIORIG_LDFLAGS := $(foreach symbol,$(GPIORIG_WRAPS),-Wl,--wrap=$(symbol) -Wl,-u,__wrap_$(symbol)) -Wl,--emit-relocs
