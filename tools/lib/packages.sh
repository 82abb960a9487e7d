# SPDX-License-Identifier: MIT
# What weft needs from the system, and how to get it. To be sourced (bash 3.2 and newer).
#
#   weft_require SET...   finds or installs every piece of the sets, or exits with status 2
#   weft_offer SET...     the same for sets that can be done without: what cannot be had is
#                         exported as WEFT_LACKS_<SET>, for the reason of a skip
#
# A piece is probed by what is used of it, not by its package: who built it by hand has it too.
# With WEFT_NO_INSTALL=1 nothing is ever installed.

weft_tools=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)

# set | probe | what it is | apt | dnf | pacman | brew | apk
weft_pieces='
bench|command gcc cc clang|a C compiler|gcc|gcc|gcc|gcc|gcc musl-dev linux-headers
bench|command g++ c++ clang++|a C++ compiler|g++|gcc-c++|gcc|gcc|g++
bench|command ninja samu|Ninja|ninja-build|ninja-build|ninja|ninja|samurai
bench|meson 1 0|Meson 1.0 or newer|meson|meson|meson|meson|meson
bench|command pkg-config|pkg-config|pkg-config|pkgconf-pkg-config|pkgconf|pkgconf|pkgconf
bench|library benchmark|Google Benchmark|libbenchmark-dev|google-benchmark-devel|benchmark|google-benchmark|benchmark-dev
bench|python|Python 3.8 or newer|python3|python3|python|python3|python3
test|library cmocka|cmocka|libcmocka-dev|libcmocka-devel|cmocka|cmocka|cmocka-dev
test|command nm|nm|binutils|binutils|binutils|binutils|binutils
test|command objdump|objdump|binutils|binutils|binutils|binutils|binutils
compare|compare|compare.py of Google Benchmark with numpy and scipy|libbenchmark-tools python3-numpy python3-scipy|python3-numpy python3-scipy|python-numpy python-scipy|numpy scipy|py3-numpy py3-scipy
clang|command clang|clang|clang|clang|clang|llvm|clang
clang|command clang++|clang++|clang|clang|clang|llvm|clang
clang|sanitizer clang|the sanitizers of clang|libclang-rt-dev|compiler-rt|compiler-rt|llvm|compiler-rt
sanitize|sanitizer gcc|the sanitizers of gcc|gcc|libasan libubsan libtsan|gcc|-|-
valgrind|command valgrind|Valgrind|valgrind libc6-dbg|valgrind|valgrind|-|valgrind
aarch64|command aarch64-linux-gnu-gcc|a C compiler for AArch64|gcc-aarch64-linux-gnu|-|-|-|-
aarch64|command aarch64-linux-gnu-g++|a C++ compiler for AArch64|g++-aarch64-linux-gnu|-|-|-|-
aarch64|command qemu-aarch64|qemu-user|qemu-user|-|-|-|-
aarch64|arm64 cmocka|cmocka for arm64|libcmocka-dev:arm64|-|-|-|-
aarch64_benchmark|arm64 benchmark|Google Benchmark for arm64|libbenchmark-dev:arm64|-|-|-|-
'

weft_say() {
    printf '%s\n' "$*" >&2
}

# The first python3 of the PATH that is new enough.
weft_python() {
    command -v python3 >/dev/null 2>&1 &&
        python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null
}

weft_meson() { # MAJOR MINOR
    local version major minor
    version=$(meson --version 2>/dev/null) || return 1
    major=${version%%.*}
    minor=${version#*.}
    minor=${minor%%.*}
    [ "$major" -gt "$1" ] || { [ "$major" -eq "$1" ] && [ "$minor" -ge "$2" ]; }
}

# The system's library, or its sources where the wrap puts them.
weft_library() { # NAME
    pkg-config --exists "$1" 2>/dev/null || compgen -G "$weft_tools/../subprojects/$1-*/" >/dev/null
}

weft_sanitizer() { # COMPILER
    local sanitizer
    for sanitizer in address,undefined thread; do
        echo 'int main(void) { return 0; }' |
            "$1" -x c -fsanitize="$sanitizer" -o /dev/null - >/dev/null 2>&1 || return 1
    done
}

weft_has() { # PROBE [ARGUMENT...]
    local kind=$1 name
    shift
    case $kind in
    command)
        for name in "$@"; do
            command -v "$name" >/dev/null 2>&1 && return 0
        done
        return 1
        ;;
    python) weft_python ;;
    meson) weft_meson "$@" ;;
    library) weft_library "$@" ;;
    sanitizer) weft_sanitizer "$@" ;;
    compare) PYTHONPATH=$weft_tools python3 -m weft.compare --check >/dev/null 2>&1 ;;
    arm64)
        PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig \
            pkg-config --exists "$1" 2>/dev/null
        ;;
    esac
}

# The package manager of this machine and the column of its names.
weft_manager() {
    local name
    for name in apt-get dnf pacman brew apk; do
        command -v "$name" >/dev/null 2>&1 && echo "$name" && return
    done
    echo none
}

# Fills weft_labels (one a line) and weft_packages (words) with what the sets lack.
weft_find_missing() { # SET...
    local manager piece_set probe label apt dnf pacman brew apk names name
    weft_labels=
    weft_packages=
    manager=$(weft_manager)
    while IFS='|' read -r piece_set probe label apt dnf pacman brew apk; do
        case " $* " in
        *" $piece_set "*) [ -n "$piece_set" ] || continue ;;
        *) continue ;;
        esac
        # shellcheck disable=SC2086  # a probe is a word list
        weft_has $probe && continue
        weft_labels="$weft_labels$label
"
        case $manager in
        apt-get) names=$apt ;;
        dnf) names=$dnf ;;
        pacman) names=$pacman ;;
        brew) names=$brew ;;
        apk) names=$apk ;;
        *) names=- ;;
        esac
        for name in $names; do
            case " $weft_packages - " in
            *" $name "*) ;;
            *) weft_packages="${weft_packages:+$weft_packages }$name" ;;
            esac
        done
    done <<<"$weft_pieces"
}

# The words that make a command run as root: none for root itself.
weft_become_root() {
    weft_root=
    [ "$(id -u)" -eq 0 ] && return 0
    command -v sudo >/dev/null 2>&1 || return 1
    weft_root='sudo'
    sudo -n true 2>/dev/null && return 0
    [ -t 0 ] && [ -t 2 ]
}

weft_may_install() {
    [ "${WEFT_NO_INSTALL:-0}" != 1 ] && [ "$(weft_manager)" = apt-get ] && weft_become_root
}

# Packages of the machine's own architecture are in the one archive that every Debian has;
# Ubuntu keeps arm64 in another one, and adding it would break the next `apt-get update`.
weft_add_arm64() {
    dpkg --print-foreign-architectures 2>/dev/null | grep -qx arm64 && return 0
    grep -qs '^ID=debian' "${WEFT_OS_RELEASE:-/etc/os-release}" || return 1
    $weft_root dpkg --add-architecture arm64
    weft_updated= # not for arm64
}

weft_install() { # PACKAGE...
    weft_say "weft: installing $*"
    case "$*" in
    *:arm64*) weft_add_arm64 || return 1 ;;
    esac
    if [ -z "${weft_updated:-}" ]; then
        # A third-party archive that is down must not stop what the others have.
        $weft_root apt-get -q update >&2 || weft_say 'weft: apt-get update failed, going on'
        weft_updated=1
    fi
    $weft_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
        -o DPkg::Lock::Timeout=120 install "$@" >&2 || return 1
    hash -r
}

# How to get weft_packages here.
weft_explain() {
    local manager line
    manager=$(weft_manager)
    weft_say 'weft needs what this machine does not have:'
    while IFS= read -r line; do
        [ -z "$line" ] || weft_say "  $line"
    done <<<"$weft_labels"
    case $manager in
    apt-get) line="apt-get update && apt-get install $weft_packages" ;;
    dnf) line="dnf install $weft_packages" ;;
    pacman) line="pacman -S --needed $weft_packages" ;;
    brew) line="brew install $weft_packages" ;;
    apk) line="apk add $weft_packages" ;;
    *) line= ;;
    esac
    if [ -z "$line" ]; then
        weft_say 'No known package manager was found (apt-get, dnf, pacman, brew, apk).'
    elif [ "$manager" = brew ]; then
        weft_say 'This installs it:'
        weft_say "  $line"
    else
        weft_say 'As root, this installs it:'
        weft_say "  $line"
    fi
    case $weft_labels in
    *Meson*) weft_say 'Where the package is older: python3 -m pip install --user meson' ;;
    esac
}

weft_require() { # SET...
    weft_find_missing "$@"
    [ -n "$weft_labels" ] || return 0
    if [ -n "$weft_packages" ] && weft_may_install; then
        # shellcheck disable=SC2086
        weft_install $weft_packages || weft_say 'weft: the installation failed'
        weft_find_missing "$@"
        [ -n "$weft_labels" ] || return 0
    fi
    weft_explain
    exit 2
}

weft_install_alone() { # SET
    weft_find_missing "$1"
    # shellcheck disable=SC2086
    [ -z "$weft_packages" ] || weft_install $weft_packages ||
        weft_say "weft: going on without $1"
}

weft_offer() { # SET...
    local piece_set missing
    weft_find_missing "$@"
    missing=$weft_labels
    # All at once takes less time, but what cannot be had must not take the others with it.
    # shellcheck disable=SC2086
    if [ -n "$weft_packages" ] && weft_may_install && ! weft_install $weft_packages; then
        for piece_set in "$@"; do
            weft_install_alone "$piece_set"
        done
    fi
    for piece_set in "$@"; do
        [ -z "$missing" ] || weft_find_missing "$piece_set"
        weft_labels=${weft_labels%
}
        weft_labels=${weft_labels//
/, }
        export "WEFT_LACKS_$piece_set=$weft_labels"
    done
}
