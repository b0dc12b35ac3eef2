/* RIOT drivers/cc2420/include/cc2420_params.h. */
#ifndef RIOT_CC2420_PARAMS_H
#define RIOT_CC2420_PARAMS_H

#include "cc2420.h"

static const cc2420_params_t cc2420_params[1] = { { 0 } };

#endif
