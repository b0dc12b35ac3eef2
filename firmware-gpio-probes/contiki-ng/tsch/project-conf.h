/** Contiki-NG's configuration for the ping-pong over TSCH. */
#ifndef PROJECT_CONF_H_
#define PROJECT_CONF_H_

#define IEEE802154_CONF_PANID 0x6770

/* One channel, the one that is captured, and the minimal schedule of RFC 8180 with 7 slots: one shared slot in 70 ms. */
#define TSCH_CONF_DEFAULT_HOPPING_SEQUENCE (uint8_t[]){26}
#define TSCH_CONF_JOIN_HOPPING_SEQUENCE (uint8_t[]){26}
#define TSCH_SCHEDULE_CONF_DEFAULT_LENGTH 7

/* No log in a slot, no logs at all. */
#define TSCH_LOG_CONF_PER_SLOT 0
#define LOG_CONF_LEVEL_MAC LOG_LEVEL_NONE
#define LOG_CONF_LEVEL_FRAMER LOG_LEVEL_NONE
#define LOG_CONF_LEVEL_MAIN LOG_LEVEL_NONE

#endif
