#!/bin/sh
# Installs the Debian packages of the named groups, where they are missing; says how much that is and how long it took.
# With the group bench the user also joins the groups that may use analyzers and serial ports.
# Without root or sudo: prints the commands to run and stops with status 2.
set -eu

# Group, packages, and what they are for.
table='
python    python3-venv                the environment of the Python packages
native    gcc libc6-dev               link the Rust libraries; the ARM compiler of the demo uses those of gcc
native    cargo rustc                 the Rust libraries; a rustup toolchain does as well, any from 1.63 on
sigrok    sigrok-cli                  captures; decoders in tests
firmware  make gcc libc6-dev          host programs of the probe library
firmware  gcc-arm-none-eabi           images of the boards with a Cortex-M
firmware  libnewlib-arm-none-eabi     their string functions
firmware  clang-16 lld-16 llvm-16     the image of TelosB
check     clang-tidy-16 cppcheck      lint of the probe library
test      ccache                      images of tests share most of their sources
test      sigrok-firmware-fx2lafw     the firmware of FX2 analyzers: modelled ones are loaded with it
test      mspdebug openocd            an independent MSP430 core; flashing of virtual boards
test      tshark                      an independent reader of packet captures
test      pulseview xvfb imagemagick  decoders in PulseView, and pictures of it
test      chromium                    the page of the report
bench     sigrok-cli libsigrok4       captures; the udev rules of analyzers
bench     sigrok-firmware-fx2lafw     the firmware of FX2 analyzers
bench     openocd                     flashing; the udev rules of debug adapters
bench     udev usbutils psmisc        lsusb, and fuser: which program uses a port
'

# The packages of a group.
packages_of() {
    echo "$table" | while read -r group words; do
        [ "$group" = "$1" ] || continue
        for word in ${words%%  *}; do echo "$word"; done
    done
}

# Targets of make run in parallel; apt does not.
exec 9<"$0"
flock 9

packages=""
bench=""
for group in "${@:-none}"; do
    of_group=$(packages_of "$group")
    if [ -z "$of_group" ]; then
        echo "usage: tools/debian.sh GROUP...   with python, native, sigrok, firmware, check, test or bench" >&2
        exit 2
    fi
    [ "$group" != bench ] || bench=1
    packages="$packages $of_group"
done

missing=""
for package in $packages; do
    case " $missing " in *" $package "*) continue ;; esac
    case $package in cargo | rustc) ! command -v "$package" >/dev/null || continue ;; esac
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done

# The groups that the user of a bench is not in; sigrok's and OpenOCD's udev rules give devices to plugdev.
user="${SUDO_USER:-$(id -un)}"
memberships=""
if [ -n "$bench" ] && [ "$user" != root ]; then
    for membership in plugdev dialout; do
        id -nG "$user" | grep -qw "$membership" || memberships="$memberships $membership"
    done
fi
[ -n "$missing$memberships" ] || exit 0

print_commands() {
    [ -z "$missing" ] || echo "  apt-get install --no-install-recommends$missing" >&2
    for membership in $memberships; do echo "  adduser $user $membership" >&2; done
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
install_missing() {
    # shellcheck disable=SC2086 # the list is meant to be split
    $as_root apt-get install -q -y --no-install-recommends -o APT::Keep-Downloaded-Packages=false $missing
}

if [ -n "$missing" ]; then
    log=$(mktemp)
    start_s=$(date +%s)
    export DEBIAN_FRONTEND=noninteractive LC_ALL=C
    # Lists that are missing or outdated are the usual reason why a first try fails.
    if ! { install_missing || { $as_root apt-get update -q && install_missing; }; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "the packages could not be installed (log: $log). Run as root:" >&2
        print_commands
        exit 2
    fi
    size=$(sed -n 's/^After this operation, \(.*\) of additional disk space will be used.$/\1, /p' "$log")
    echo "Debian packages$missing ($size$(($(date +%s) - start_s)) s)"
    rm -f "$log"
fi
for membership in $memberships; do
    $as_root adduser --quiet "$user" "$membership"
    echo "$user is in the group $membership from the next login on"
done
