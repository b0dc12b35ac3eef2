/** The reference firmware: nodes exchange packets, every layer of the stack tells the analyzer what it does. */
#include "app.h"
#include "clock.h"
#include "console.h"
#include "ipv6.h"
#include "kernel.h"
#include "line.h"
#include "mac.h"
#include "probes.h"
#include "settings.h"
#include "sixlowpan.h"
#include "sync_task.h"
#include "timer.h"
#include "uart.h"
#include "udp.h"
#include "wiring_proof.h"
#include "worker.h"

static void put(const char *text)
{
    struct line line = { .length = 0 };

    line_text(&line, text);
    line_send(&line);
}

int main(void)
{
    static struct actor *const actors[] = { &mac_actor, &sixlowpan_actor, &ipv6_actor, &udp_actor, &app_actor,
                                           &worker_a_actor, &worker_b_actor, &console_actor, &sync_actor };
    bool radio_works;

    settings_reset();
    clock_init();
    timer_init();
    uart_init(&console_actor, CONSOLE_SIGNAL_LINE);
    probes_init();
    put("boot board=" BOARD_NAME " firmware=reference");
    uart_drain(); /* its interrupts would lengthen some of the calibration events */
    wiring_proof();
    worker_calibrate();

    for (unsigned i = 0; i < sizeof actors / sizeof actors[0]; i++) {
        actor_start(actors[i]);
    }
    kernel_set_queue_length((uint16_t)settings.queue);
    radio_works = mac_init();
    console_set_radio(radio_works);
    if (!radio_works) {
        put("fault the radio does not answer");
    }
    put("ready");
    kernel_run();
}
