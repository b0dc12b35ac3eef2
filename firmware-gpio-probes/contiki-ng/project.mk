# What the applications here share; included by their Makefiles.
ifndef CONTIKI
$(error CONTIKI is not set: say where a checkout of Contiki-NG 5.0 is, e.g. make CONTIKI=$$HOME/contiki-ng TARGET=sky)
endif
ifeq (,$(wildcard $(CONTIKI)/Makefile.include))
$(error CONTIKI=$(CONTIKI): there is no Makefile.include in it; it should be a checkout of Contiki-NG 5.0)
endif

ifeq ($(MAKE_MAC),MAKE_MAC_NULLMAC)
$(error MAKE_MAC_NULLMAC sends nothing and takes nothing: the functions of os/net/mac/nullmac/nullmac.c are empty. Use MAKE_MAC_CSMA)
endif

GPIORIG_PINGPONG := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))/pingpong
PROJECTDIRS += $(GPIORIG_PINGPONG)
PROJECT_SOURCEFILES += pingpong-console.c
MODULES_REL += $(GPIORIG_PINGPONG)/../gpiorig
GPIORIG_TABLE_CRC := $(shell python3 -c "import sys,zlib;print('0x%08x' % zlib.crc32(open(sys.argv[1],'rb').read()))" \
    $(GPIORIG_PINGPONG)/../../include/gpiorig/events.h)
CFLAGS += -DGPIORIG_TABLE_CRC=$(GPIORIG_TABLE_CRC)

all: $(CONTIKI_PROJECT)
