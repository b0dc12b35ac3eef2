"""Sizes of browser windows for tests of the page."""

DESKTOP, PHONE = {"width": 1120, "height": 900}, {"width": 360, "height": 740}
