/**
 * Frames through the driver alone, for nodes too small for GNRC: a TelosB. The driver's interrupts wake a thread of its
 * own, which reads frames into the one buffer of the end that they are for; a frame that finds it full is dropped.
 */
#include "link.h"

#include <string.h>

#include "../../reference/radio/seed.h"
#include "app.h"
#include "cc2420.h"
#include "cc2420_params.h"
#include "mutex.h"
#include "net/ieee802154.h"
#include "net/netopt.h"
#include "random.h"
#include "settings.h"
#include "thread.h"
#include "thread_flags.h"
#include "ztimer.h"

#define FRAME_MOST 125u /* without FCS: aMaxPHYPacketSize is 127, IEEE 802.15.4-2006 6.4.1 */
#define FLAG_INTERRUPT 0x1u
#define FLAG_FRAME 0x2u
#define FLAG_TIMEOUT 0x4u

static cc2420_t radio;
static netdev_t *const dev = &radio.netdev.netdev;
static mutex_t driver = MUTEX_INIT;
static char stack[THREAD_STACKSIZE_DEFAULT];
static thread_t *driver_thread;

static struct {
    thread_t *reader;
    volatile uint8_t length; /* 0: free */
    uint8_t frame[FRAME_MOST];
} ends[2];

static void receive_frame(void)
{
    static uint8_t frame[FRAME_MOST]; /* the thread has no room for it */
    int length = dev->driver->recv(dev, frame, sizeof frame, NULL);
    size_t header = length > 3 ? ieee802154_get_frame_hdr_len(frame) : 0;
    enum link_end end;

    if (header == 0 || (size_t)length <= header) {
        return;
    }
    end = link_end_of(frame[header]);
    if (ends[end].reader == NULL || ends[end].length != 0) {
        counts.errors++;
        return;
    }
    memcpy(ends[end].frame, frame, (size_t)length);
    ends[end].length = (uint8_t)length;
    thread_flags_set(ends[end].reader, FLAG_FRAME);
}

static void happened(netdev_t *from, netdev_event_t event)
{
    (void)from;
    if (event == NETDEV_EVENT_ISR) {
        thread_flags_set(driver_thread, FLAG_INTERRUPT);
    } else if (event == NETDEV_EVENT_RX_COMPLETE) {
        receive_frame();
    }
}

static void *serve(void *unused)
{
    (void)unused;
    driver_thread = thread_get_active();
    for (;;) {
        thread_flags_wait_any(FLAG_INTERRUPT);
        mutex_lock(&driver);
        dev->driver->isr(dev);
        mutex_unlock(&driver);
    }
    return NULL;
}

bool link_init(void)
{
    cc2420_setup(&radio, &cc2420_params[0], 0);
    dev->event_callback = happened;
    thread_create(stack, sizeof stack, THREAD_PRIORITY_MAIN - 5, 0, serve, NULL, "radio");
    return dev->driver->init(dev) == 0;
}

void link_open(enum link_end end)
{
    ends[end].length = 0;
    ends[end].reader = thread_get_active();
}

void link_close(enum link_end end)
{
    ends[end].reader = NULL;
}

bool link_send(uint16_t to, const uint8_t *payload, uint16_t length)
{
    static uint8_t sequence;
    const le_uint16_t pan = { .u8 = { PAN & 0xffu, PAN >> 8 } };
    const uint8_t flags = IEEE802154_FCF_TYPE_DATA | IEEE802154_FCF_PAN_COMP;
    const uint8_t source[2] = { (uint8_t)(settings.address >> 8), (uint8_t)settings.address }; /* as RIOT has them */
    const uint8_t destination[2] = { (uint8_t)(to >> 8), (uint8_t)to };
    uint8_t header[IEEE802154_MAX_HDR_LEN];
    iolist_t body = { .iol_base = (void *)(uintptr_t)payload, .iol_len = length };
    iolist_t frame = { .iol_next = &body, .iol_base = header };
    int result;

    frame.iol_len = ieee802154_set_frame_hdr(header, source, sizeof source, destination, sizeof destination, pan, pan,
                                             (uint8_t)(flags | (to == LINK_BROADCAST ? 0 : IEEE802154_FCF_ACK_REQ)),
                                             sequence++);
    if (frame.iol_len == 0 || frame.iol_len + length > FRAME_MOST) {
        return false;
    }
    mutex_lock(&driver);
    result = dev->driver->send(dev, &frame);
    mutex_unlock(&driver);
    return result > 0;
}

static void time_is_up(void *reader)
{
    thread_flags_set(reader, FLAG_TIMEOUT);
}

uint16_t link_receive(enum link_end end, uint8_t *payload, uint16_t size, uint32_t timeout_us, uint16_t *from)
{
    ztimer_t timer = { .callback = time_is_up, .arg = thread_get_active() };
    le_uint16_t pan;
    uint8_t source[8];
    uint16_t header, length;

    thread_flags_clear(FLAG_TIMEOUT);
    if (timeout_us != LINK_FOREVER) {
        ztimer_set(ZTIMER_USEC, &timer, timeout_us);
    }
    if (ends[end].length == 0) {
        thread_flags_wait_any(FLAG_FRAME | FLAG_TIMEOUT);
    }
    ztimer_remove(ZTIMER_USEC, &timer);
    if (ends[end].length == 0) {
        return 0;
    }
    *from = ieee802154_get_src(ends[end].frame, source, &pan) == 2 ? (uint16_t)(source[0] << 8 | source[1]) : 0;
    header = (uint16_t)ieee802154_get_frame_hdr_len(ends[end].frame);
    length = (uint16_t)(ends[end].length - header);
    length = length < size ? length : size;
    memcpy(payload, ends[end].frame + header, length);
    thread_flags_clear(FLAG_FRAME);
    ends[end].length = 0;
    return length;
}

bool link_configure(void)
{
    const uint8_t address[2] = { (uint8_t)(settings.address >> 8), (uint8_t)settings.address };
    const uint16_t pan = PAN, channel = (uint16_t)settings.channel;
    const netopt_enable_t csma = settings.csma != 0 && settings.app != APP_interferer ? NETOPT_ENABLE : NETOPT_DISABLE;
    const netopt_enable_t on = NETOPT_ENABLE;
    const netopt_state_t listening = NETOPT_STATE_IDLE;
    bool taken;

    random_init(mix_seed(settings.seed, (uint16_t)settings.address));
    mutex_lock(&driver);
    dev->driver->set(dev, NETOPT_CSMA, &csma, sizeof csma);
    dev->driver->set(dev, NETOPT_AUTOACK, &on, sizeof on);
    dev->driver->set(dev, NETOPT_RX_END_IRQ, &on, sizeof on);
    taken = dev->driver->set(dev, NETOPT_ADDRESS, address, sizeof address) >= 0 &&
            dev->driver->set(dev, NETOPT_NID, &pan, sizeof pan) >= 0 &&
            dev->driver->set(dev, NETOPT_CHANNEL, &channel, sizeof channel) >= 0 &&
            dev->driver->set(dev, NETOPT_STATE, &listening, sizeof listening) >= 0;
    mutex_unlock(&driver);
    return taken;
}
