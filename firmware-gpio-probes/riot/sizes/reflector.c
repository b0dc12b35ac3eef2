/** A network device without hardware: it receives each frame that it sends. */
#include <string.h>

#include "net/gnrc/netif/ieee802154.h"
#include "net/netdev_test.h"

static netdev_test_t device;
static gnrc_netif_t netif;
static char stack[THREAD_STACKSIZE_DEFAULT];
static uint8_t frame[IEEE802154_FRAME_LEN_MAX];
static int length;

static int on_send(netdev_t *netdev, const iolist_t *parts)
{
    length = 0;
    for (; parts != NULL; parts = parts->iol_next) {
        memcpy(frame + length, parts->iol_base, parts->iol_len);
        length += (int)parts->iol_len;
    }
    netdev->event_callback(netdev, NETDEV_EVENT_RX_COMPLETE);
    return length;
}

static int on_receive(netdev_t *netdev, char *buffer, int size, void *info)
{
    (void)netdev;
    (void)info;
    if (buffer != NULL) {
        memcpy(buffer, frame, (size_t)(size < length ? size : length));
    }
    return length;
}

static int get_type(netdev_t *netdev, void *value, size_t size)
{
    (void)netdev;
    (void)size;
    *(uint16_t *)value = NETDEV_TYPE_IEEE802154;
    return sizeof(uint16_t);
}

static int get_length(netdev_t *netdev, void *value, size_t size)
{
    (void)netdev;
    (void)size;
    *(uint16_t *)value = sizeof frame - IEEE802154_MAX_HDR_LEN - IEEE802154_FCS_LEN;
    return sizeof(uint16_t);
}

static int get_address_length(netdev_t *netdev, void *value, size_t size)
{
    (void)netdev;
    (void)size;
    *(uint16_t *)value = IEEE802154_LONG_ADDRESS_LEN;
    return sizeof(uint16_t);
}

static int get_address(netdev_t *netdev, void *value, size_t size)
{
    (void)netdev;
    memset(value, 2, size);
    return IEEE802154_LONG_ADDRESS_LEN;
}

void reflector_init(void)
{
    netdev_test_setup(&device, NULL);
    netdev_test_set_send_cb(&device, on_send);
    netdev_test_set_recv_cb(&device, on_receive);
    netdev_test_set_get_cb(&device, NETOPT_DEVICE_TYPE, get_type);
    netdev_test_set_get_cb(&device, NETOPT_PROTO, NULL);
    netdev_test_set_get_cb(&device, NETOPT_MAX_PDU_SIZE, get_length);
    netdev_test_set_get_cb(&device, NETOPT_SRC_LEN, get_address_length);
    netdev_test_set_get_cb(&device, NETOPT_ADDRESS_LONG, get_address);
    gnrc_netif_ieee802154_create(&netif, stack, sizeof stack, GNRC_NETIF_PRIO, "reflector", &device.netdev.netdev);
}
