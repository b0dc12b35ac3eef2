/** The application is the ping-pong's; only what lies below it differs. */
#include "pingpong.c"
