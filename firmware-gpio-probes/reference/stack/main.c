/** The reference firmware: two nodes play ping-pong, every layer of the stack tells the analyzer what it does. */
#include "gpiorig/probe.h"

#include "app.h"
#include "clock.h"
#include "console.h"
#include "kernel.h"
#include "line.h"
#include "mac.h"
#include "timer.h"
#include "uart.h"

#define CALIBRATION_EVENTS 32u

static void say(const char *text)
{
    struct line line = { .length = 0 };

    line_text(&line, text);
    line_send(&line);
}

int main(void)
{
    bool radio_works;

    clock_init();
    timer_init();
    uart_init(&console_actor, CONSOLE_SIGNAL_LINE);
    gpiorig_init();
    say("boot board=" BOARD_NAME " firmware=reference");
    uart_drain(); /* its interrupts would lengthen some of the calibration events */
    gpiorig_wiring_proof();
    gpiorig_calibrate(CALIBRATION_EVENTS);

    radio_works = app_init();
    console_set_radio(radio_works);
    if (!radio_works) {
        say("fault the radio does not answer");
    }
    say("ready");

    actor_start(&mac_actor);
    actor_start(&console_actor);
    kernel_run();
}
