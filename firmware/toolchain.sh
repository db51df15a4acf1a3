#!/bin/sh
# Makes sure that the cross compiler is there; installs it where that needs no password.
set -eu

cc=riscv64-unknown-elf-gcc
packages="gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf"

present() {
    command -v "$cc" >/dev/null 2>&1 &&
        case "$("$cc" -print-file-name=picolibc.specs)" in /*) true ;; *) false ;; esac
}

present && exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        echo "no cross compiler: install the packages $packages" >&2
        exit 1
    fi
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "no cross compiler, and no apt-get to install it: $packages is what Debian calls it" >&2
    exit 1
fi

echo "installing $packages ..."
log=$(mktemp)
if ! { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends $packages; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "the cross compiler could not be installed; try: apt-get install $packages" >&2
    rm -f "$log"
    exit 1
fi
rm -f "$log"
present || { echo "$packages are installed, but $cc does not find picolibc" >&2; exit 1; }
