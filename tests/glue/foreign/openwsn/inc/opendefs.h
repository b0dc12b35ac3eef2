/* Stand-in for inc/opendefs.h. */
#ifndef OPENDEFS_H
#define OPENDEFS_H

#include <stddef.h>
#include <stdint.h>

#include "board.h"

#endif
