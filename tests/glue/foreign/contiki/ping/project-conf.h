/** No neighbour discovery, as the ping-pong (firmware-gpio-probes/contiki-ng/pingpong/project-conf.h). */
#define UIP_CONF_ND6_SEND_NS 0
