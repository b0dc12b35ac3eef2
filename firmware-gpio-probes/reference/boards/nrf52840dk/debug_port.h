/** The chip's debug port stays open after the board was without supply. */
#ifndef DEBUG_PORT_H
#define DEBUG_PORT_H

void debug_port_open(void);

#endif
