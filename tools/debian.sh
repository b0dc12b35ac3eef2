#!/bin/sh
# Installs the Debian packages that gpiorig builds and runs with, where they are missing.
# Without root or sudo: prints the line to run and stops with status 2.
set -eu

packages="sigrok-cli sigrok-firmware-fx2lafw gcc-arm-none-eabi libnewlib-arm-none-eabi clang-16 clang-tidy-16 cppcheck lld-16 llvm-16 mspdebug openocd tshark gcc libc6-dev make python3-venv pulseview xvfb imagemagick chromium"
# A rustup toolchain does as well as Debian's; any rustc from 1.63 on builds the crates.
if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
    packages="$packages cargo rustc"
fi

missing=""
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root="sudo"
    else
        echo "Debian packages are missing and this user is neither root nor may use sudo. Run:" >&2
        echo "  apt-get install --no-install-recommends$missing" >&2
        exit 2
    fi
fi
echo "installing Debian packages:$missing"
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # the list is meant to be split
if ! { $as_root apt-get update -q && $as_root apt-get install -q -y --no-install-recommends $missing; } \
    >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "the packages could not be installed (log: $log). Run:" >&2
    echo "  apt-get install --no-install-recommends$missing" >&2
    exit 2
fi
rm -f "$log"
