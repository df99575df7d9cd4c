# shellcheck shell=bash
# Functions for the scripts that set a machine up and build; to be sourced by bash.

# install_packages LIST: installs the Debian packages named in the file LIST, one a line, that are missing. Does nothing
# if none is. Returns 2, after printing the command to run, where that takes rights this user has not.
install_packages() {
    local list=$1 missing
    if ! command -v dpkg-query >/dev/null; then
        echo "not a Debian machine: taking for granted what $list names" >&2
        return 0
    fi
    missing=$(comm -13 \
        <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | sort -u) <(sort -u "$list"))
    [ -n "$missing" ] || return 0
    # The list is one word a package, so splitting is meant.
    # shellcheck disable=SC2086
    set -- $missing
    if [ "$(id -u)" != 0 ]; then
        echo "Debian packages are missing; as root, run:" >&2
        echo "    apt-get update && apt-get install -y --no-install-recommends $*" >&2
        return 2
    fi
    echo "installing $# Debian packages: $*"
    # The lock option waits for another installation instead of failing.
    apt-get -qq update &&
        DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=500 install -y --no-install-recommends "$@" >/dev/null
}

# build_jobs: prints how many compilers may run at once: a core and 2 GiB of memory for each.
build_jobs() {
    local cores memory_gib limit_bytes
    cores=$(nproc)
    memory_gib=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1048576))
    # A container may have less than the machine.
    limit_bytes=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
    if [ "$limit_bytes" != max ] && [ $((limit_bytes / 1073741824)) -lt "$memory_gib" ]; then
        memory_gib=$((limit_bytes / 1073741824))
    fi
    local jobs=$((memory_gib / 2 < cores ? memory_gib / 2 : cores))
    echo $((jobs > 1 ? jobs : 1))
}
