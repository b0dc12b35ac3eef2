/** What the calls of probe.h are when GPIORIG_OFF is defined: nothing. */
#ifndef GPIORIG_OFF_H
#define GPIORIG_OFF_H

#define GPIORIG_ENTER(POINT) ((void)0)
#define GPIORIG_EXIT(POINT) ((void)0)
#define GPIORIG_ENTER_ID(POINT, id) ((void)sizeof(id))
#define GPIORIG_EXIT_ID(POINT, id) ((void)sizeof(id))
#define GPIORIG_EVENT(POINT) ((void)0)
#define GPIORIG_EVENT_ID(POINT, id) ((void)sizeof(id))
#define GPIORIG_MARK(code) ((void)0)
#define gpiorig_event(code) ((void)sizeof(code))
#define gpiorig_event_id(code, id) ((void)sizeof(code), (void)sizeof(id))

#define gpiorig_init() ((void)0)
#define gpiorig_wiring_proof() ((void)0)
#define gpiorig_rest() ((void)0)
#define gpiorig_calibrate(n) ((void)sizeof(n))
#define gpiorig_heartbeat() ((void)0)
#define gpiorig_frames() ((uint32_t)0)

#define gpiorig_enable(code, on) ((void)sizeof(code), (void)sizeof(on))
#define gpiorig_enable_all(on) ((void)sizeof(on))
#define gpiorig_enable_group(group, on) ((void)sizeof(group), (void)sizeof(on))

#define gpiorig_log_read(record) ((void)sizeof(record), false)
#define gpiorig_log_lost() ((uint32_t)0)
#define gpiorig_log_line(text) ((void)sizeof(text), 0u)

#endif
