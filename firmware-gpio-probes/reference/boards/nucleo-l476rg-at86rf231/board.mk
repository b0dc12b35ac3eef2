# Nucleo-L476RG with an AT86RF231 on jumper wires (reference/boards/nucleo-l476rg/wiring.h).
MACHINE := nucleo-l476rg
RADIO := at86rf231
include reference/boards/nucleo-l476rg/board.mk
