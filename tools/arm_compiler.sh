#!/bin/sh
# Unpacks into FOLDER the part of Debian's ARM compiler which builds an image for a Cortex-M3 (50 MB of 820), byte for byte
# as all of it does. Needs no root; its shared libraries are those of the host's gcc.
#   tools/arm_compiler.sh FOLDER
set -eu
folder=$1
packages="gcc-arm-none-eabi libnewlib-arm-none-eabi"
cores=thumb/v7-m/nofp # the libraries of one kind of core

# Unpacks files of a package's archive into the current folder.
take() {
    archive=$1
    shift
    dpkg-deb --fsys-tarfile "$archive"_*.deb | tar -x --wildcards --no-wildcards-match-slash "$@"
}

state_failure() {
    [ $? -eq 0 ] || echo "no ARM compiler. Run as root: apt-get update; apt-get install $packages" >&2
}
trap state_failure EXIT

rm -rf "$folder.new"
mkdir -p "$folder.new"
origin=$PWD
cd "$folder.new"
# shellcheck disable=SC2086 # the list is meant to be split
apt-get download -q $packages binutils-arm-none-eabi libnewlib-dev
gcc=./usr/lib/gcc/arm-none-eabi/*
take gcc-arm-none-eabi ./usr/bin/arm-none-eabi-gcc "$gcc/cc1" "$gcc/collect2" "$gcc/include/std*.h" "$gcc/lto-wrapper" \
    "$gcc/liblto_plugin.so" "$gcc/$cores/libgcc.a"
take binutils-arm-none-eabi ./usr/bin/arm-none-eabi-as ./usr/bin/arm-none-eabi-ld ./usr/bin/arm-none-eabi-size \
    ./usr/lib/arm-none-eabi/bin/as ./usr/lib/arm-none-eabi/bin/ld
newlib=./usr/lib/arm-none-eabi/newlib
take libnewlib-arm-none-eabi "$newlib/nosys.specs" "$newlib/$cores/lib[cg].a" "$newlib/$cores/libnosys.a"
take libnewlib-dev ./usr/include/newlib
# What the packages link when they are installed.
ln -s newlib usr/lib/arm-none-eabi/lib
ln -s ../../include/newlib usr/lib/arm-none-eabi/include
rm ./*.deb
cd "$origin"
mv "$folder.new" "$folder"
