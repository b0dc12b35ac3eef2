/* Stand-in for projects/common/03oos_openwsn. */
#include "IEEE802154E.h"
#include "board.h"
#include "scheduler.h"

int mote_main(void);

int mote_main(void)
{
    board_init();
    scheduler_init();
    ieee154e_init();
    scheduler_start();
    return 0;
}
