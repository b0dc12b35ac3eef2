# Nucleo-L476RG with an MRF24J40MA on jumper wires (reference/boards/nucleo-l476rg/wiring.h).
MACHINE := nucleo-l476rg
RADIO := mrf24j40
include reference/boards/nucleo-l476rg/board.mk
