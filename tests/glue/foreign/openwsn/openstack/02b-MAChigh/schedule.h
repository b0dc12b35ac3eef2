/* Stand-in for openstack/02b-MAChigh/schedule.h. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "opendefs.h"

uint16_t schedule_getFrameLength(void);

#endif
