# Builds the firmware of one $(BOARD) on one $(KERNEL), with $(PROBES). The board's board.mk has
#   RADIO                    the folder of reference/radio/ that drives its radio
#   CC, SIZE, OBJCOPY, LINK  compiler, size, objcopy, and the linker's command line up to its output
#   TOOLS                    the programs and files without which the board cannot be built
#   TARGET_FLAGS             what the compiler must know of the processor
#   LINK_SCRIPT
#   CORE                     the processor core: its folders in reference/boards/ and reference/kernel/threads/, where there are
#   MACHINE                  the board whose folder and port serve this one too, if there is such a board

ifeq ($(wildcard reference/boards/$(BOARD)/board.mk),)
$(error BOARD=$(BOARD): there is no reference/boards/$(BOARD)/board.mk)
endif

KERNEL ?= events
ifeq ($(wildcard reference/kernel/$(KERNEL)/kernel.c),)
$(error KERNEL=$(KERNEL): there is no reference/kernel/$(KERNEL)/kernel.c)
endif

PROBES ?= normal
PROBES_normal :=
PROBES_off := -DGPIORIG_OFF
PROBES_empty := -DGPIORIG_VARIANT_EMPTY
PROBES_doubled := -DGPIORIG_VARIANT_DOUBLED
ifeq ($(origin PROBES_$(PROBES)),undefined)
$(error PROBES=$(PROBES): there are $(patsubst PROBES_%,%,$(filter PROBES_%,$(.VARIABLES))))
endif

# The reference firmware, or what needs neither stack nor radio: the self-test of kernels and alarms, the costs of a probe,
# the source of the sync line, the rows of `gpiorig bench certify`.
PROGRAM ?= reference
PROGRAM_reference = reference/stack reference/radio reference/radio/$(RADIO)
PROGRAM_selftest = reference/selftest reference/radio
PROGRAM_costs = reference/costs
PROGRAM_sync = reference/sync
PROGRAM_certify = reference/certify reference/certify/$(CORE) $(wildcard reference/certify/$(MACHINE))
ifeq ($(origin PROGRAM_$(PROGRAM)),undefined)
$(error PROGRAM=$(PROGRAM): there are $(patsubst PROGRAM_%,%,$(filter PROGRAM_%,$(.VARIABLES))))
endif

except = $(if $(filter-out $1,$2),-$2)
DIR := $(BUILD)/$(BOARD)$(call except,events,$(KERNEL))$(call except,normal,$(PROBES))$(call except,reference,$(PROGRAM))$(WIDTH:%=-w%)
ELF := $(DIR)/$(PROGRAM).elf
include reference/boards/$(BOARD)/board.mk
MACHINE ?= $(BOARD)

TABLE_CRC := $(shell $(PYTHON) -c "import zlib;print('0x%08xu' % zlib.crc32(open('include/gpiorig/events.h','rb').read()))")
FOLDERS := $(PROGRAM_$(PROGRAM)) reference/kernel reference/kernel/$(KERNEL) $(CORE:%=reference/kernel/$(KERNEL)/%) \
    $(CORE:%=reference/boards/%) reference/boards/$(MACHINE)
INCLUDES := $(sort $(FOLDERS) $(PROGRAM_reference))

DEFINES ?=
CPPFLAGS := -Iinclude -Iports $(INCLUDES:%=-I%) -DGPIORIG_PORT=$(MACHINE) -DKERNEL_$(KERNEL) -DBOARD_NAME='"$(BOARD)"' \
    -DKERNEL_NAME='"$(KERNEL)"' -DTABLE_CRC=$(TABLE_CRC) $(PROBES_$(PROBES)) $(if $(LOG),-DGPIORIG_LOG=$(LOG)) \
    $(if $(WIDTH),-DGPIORIG_WIDTH=$(WIDTH)) $(DEFINES)
CFLAGS := $(COMMON) -MMD -MP -Os $(TARGET_FLAGS) -ffreestanding -ffunction-sections -fdata-sections

# In the order of the files' names, whatever folder they are in.
vpath %.c src $(FOLDERS)
vpath %.S $(FOLDERS)
LIBRARY := $(notdir $(wildcard src/*.c))
SOURCES := $(LIBRARY) $(sort $(notdir $(wildcard $(FOLDERS:%=%/*.c) $(FOLDERS:%=%/*.S))))
OBJECTS := $(addprefix $(DIR)/,$(addsuffix .o,$(basename $(SOURCES))))
MISSING := $(strip $(foreach tool,$(TOOLS),$(if $(wildcard $(tool))$(shell command -v $(tool) 2>/dev/null),,$(tool))))

.PHONY: firmware-if-possible
firmware: $(ELF)
firmware-if-possible: $(if $(MISSING),,$(ELF))
	@$(if $(MISSING),echo "$(BOARD) is not built: there is no $(MISSING)",:)

# As a wheel ships it (tools/hatch_build.py): without debug information, but with the symbols, the relocations and the records of
# probes that `gpiorig firmware check` reads. Prints where the image is that it was made of.
.PHONY: shipped
shipped: $(if $(MISSING),,$(DIR)/shipped.elf)
	@$(if $(MISSING),echo "there is no $(MISSING)" >&2; exit 1,echo $(ELF))
$(DIR)/shipped.elf: $(ELF)
	$(OBJCOPY) --strip-debug --keep-section=.debug_gpiorig $< $@

$(ELF): $(OBJECTS) $(LINK_SCRIPT)
	$(LINK) -o $@ $(OBJECTS)
	$(SIZE) $@ > $(@:.elf=.size)

$(DIR)/%.o: %.c $(DIR)/flags
	$(CC) $(CPPFLAGS) $(CFLAGS) $(OPTIMIZE) -c -o $@ $<

$(DIR)/%.o: %.S $(DIR)/flags
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# The send routine is unrolled, which takes -O2 (src/probe.c); a switch and a dispatch are a tenth quicker so.
$(patsubst %.c,$(DIR)/%.o,$(LIBRARY) kernel.c schedule.c): OPTIMIZE := -O2

QUOTED_FLAGS := $(subst ','\'',$(CC) $(CPPFLAGS) $(CFLAGS) $(LINK))
# Rewritten only when the flags change, so that a new width or a new event table rebuilds.
$(DIR)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(QUOTED_FLAGS)' | cmp -s - $@ || echo '$(QUOTED_FLAGS)' > $@

-include $(OBJECTS:.o=.d)
# A source that has moved since: the object is made again, from where it is now.
reference/%.c: ;
reference/%.S: ;
