/* Who takes part; what each does is up to the check. */
#include "checks.h"

actor_handler *mac_does, *udp_does, *app_does, *worker_a_does, *worker_b_does;

static void mac(const struct message *message)
{
    mac_does(message);
}

static void udp(const struct message *message)
{
    udp_does(message);
}

static void app(const struct message *message)
{
    app_does(message);
}

static void worker_a(const struct message *message)
{
    worker_a_does(message);
}

static void worker_b(const struct message *message)
{
    worker_b_does(message);
}

ACTOR(mac_actor, ACTOR_MAC, mac, 2, 400);
ACTOR(udp_actor, ACTOR_UDP, udp, 5, 400);
ACTOR(app_actor, ACTOR_APP, app, 7, 400);
ACTOR(worker_a_actor, ACTOR_WORKER_A, worker_a, 6, 400);
ACTOR(worker_b_actor, ACTOR_WORKER_B, worker_b, 6, 400);
