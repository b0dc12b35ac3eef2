# Every symbol that the linker redirects to the glue, under the RIOT module that brings it. `gpiorig firmware check` has
# the same list, with the calls that it expects (firmware-gpio-probes/hooks/riot-2026.07.toml); a test compares them.
GPIORIG_WRAPS := board_init

GPIORIG_WRAPS-gnrc_netapi := thread_create msg_receive msg_try_receive msg_try_send
GPIORIG_WRAPS-gnrc_netapi += gnrc_netapi_dispatch _gnrc_netapi_send_recv
GPIORIG_WRAPS-gnrc_netif := gnrc_netif_create thread_flags_wait_any
GPIORIG_WRAPS-event := event_post event_get event_wait_multi
GPIORIG_WRAPS-gnrc_netapi_mbox := _mbox_put _mbox_get
GPIORIG_WRAPS-gnrc_sock_udp := sock_udp_sendv_aux sock_udp_recv_aux sock_udp_recv_buf_aux
GPIORIG_WRAPS-lwip_sock_udp := $(GPIORIG_WRAPS-gnrc_sock_udp) lwip_sock_recv
GPIORIG_WRAPS-gnrc_udp := gnrc_udp_hdr_build gnrc_udp_calc_csum
GPIORIG_WRAPS-gnrc_ipv6_hdr := gnrc_ipv6_hdr_build
GPIORIG_WRAPS-gnrc_ipv6_nib := gnrc_ipv6_nib_get_next_hop_l2addr
GPIORIG_WRAPS-gnrc_sixlowpan_iphc := gnrc_sixlowpan_iphc_send gnrc_sixlowpan_iphc_recv
GPIORIG_WRAPS-gnrc_sixlowpan_frag := gnrc_sixlowpan_frag_send gnrc_sixlowpan_frag_recv
GPIORIG_WRAPS-netdev := netdev_register_signal
GPIORIG_WRAPS-netdev_ieee802154_submac := netdev_ieee802154_submac_init
GPIORIG_WRAPS-ieee802154 := ieee802154_set_frame_hdr
GPIORIG_WRAPS-ieee802154_submac := ieee802154_submac_init ztimer_sleep
GPIORIG_WRAPS-ztimer := ztimer_set ztimer_handler
GPIORIG_WRAPS-at86rf2xx := at86rf2xx_tx_prepare at86rf2xx_tx_load at86rf2xx_tx_exec
GPIORIG_WRAPS-cc2420 := cc2420_strobe cc2420_fifo_write

GPIORIG_WRAPS += $(sort $(foreach module,$(USEMODULE),$(GPIORIG_WRAPS-$(module))))

# A package, not a module.
ifneq (,$(filter openwsn,$(USEPKG)))
  GPIORIG_WRAPS += openwsn_radio_init
  GPIORIG_CFLAGS += -DGPIORIG_OPENWSN
endif
