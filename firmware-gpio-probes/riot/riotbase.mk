# Where RIOT is. Nothing of it lies here, and nothing in it is changed.
ifeq (,$(wildcard $(RIOTBASE)/Makefile.include))
  $(error RIOTBASE=$(RIOTBASE): there is no Makefile.include. Give a checkout of RIOT, as in: \
    git clone -b 2026.07 https://github.com/RIOT-OS/RIOT; make RIOTBASE=$$PWD/RIOT BOARD=iotlab-m3)
endif
GPIORIG_RIOT := $(abspath $(dir $(lastword $(MAKEFILE_LIST))))
ifneq (,$(word 2,$(GPIORIG_RIOT)))
  $(error gpiorig is in $(GPIORIG_RIOT): RIOT's makefiles take no path with a blank. Move the checkout)
endif
EXTERNAL_MODULE_DIRS += $(GPIORIG_RIOT)/modules
