#!/bin/sh
# Installs the Debian packages that gpiorig builds and runs with, where they are missing.
# With --bench also those of a real bench, and the user joins the groups that may use analyzers and serial ports.
# Without root or sudo: prints the line to run and stops with status 2.
set -eu

bench=""
case "${1-}" in
"") ;;
--bench) bench=1 ;;
*)
    echo "usage: tools/debian.sh [--bench]" >&2
    exit 2
    ;;
esac

packages="sigrok-cli sigrok-firmware-fx2lafw gcc-arm-none-eabi libnewlib-arm-none-eabi clang-16 clang-tidy-16 cppcheck lld-16 llvm-16 mspdebug openocd tshark gcc libc6-dev make python3-venv pulseview xvfb imagemagick chromium"
# A rustup toolchain does as well as Debian's; any rustc from 1.63 on builds the crates.
if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
    packages="$packages cargo rustc"
fi

# libsigrok4 and openocd have the udev rules of analyzers and debug adapters; psmisc has fuser, usbutils lsusb.
[ -z "$bench" ] || packages="$packages libsigrok4 udev usbutils psmisc"

missing=""
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done

# The groups that the user of a bench is not in; sigrok's and OpenOCD's udev rules give devices to plugdev.
user="${SUDO_USER:-$(id -un)}"
groups=""
if [ -n "$bench" ] && [ "$user" != root ]; then
    for group in plugdev dialout; do
        id -nG "$user" | grep -qw "$group" || groups="$groups $group"
    done
fi
[ -n "$missing$groups" ] || exit 0

print_commands() {
    [ -z "$missing" ] || echo "  apt-get install --no-install-recommends$missing" >&2
    for group in $groups; do echo "  adduser $user $group" >&2; done
}

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root="sudo"
    else
        echo "Debian packages or groups are missing and this user is neither root nor may use sudo. Run as root:" >&2
        print_commands
        exit 2
    fi
fi
if [ -n "$missing" ]; then
    echo "installing Debian packages:$missing"
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # the list is meant to be split
    if ! { $as_root apt-get update -q && $as_root apt-get install -q -y --no-install-recommends $missing; } \
        >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "the packages could not be installed (log: $log). Run as root:" >&2
        print_commands
        exit 2
    fi
    rm -f "$log"
fi
for group in $groups; do
    $as_root adduser --quiet "$user" "$group"
    echo "$user is in the group $group from the next login on"
done
