#!/bin/sh
# The first process of an emulated node (emulated_nodes.py), in namespaces of its own: gives the node its name and its
# own /tmp, /dev/shm, /run and FILES/local, and becomes its sshd. Nothing of this is seen outside.
#   boot_node.sh NAME FILES KEPT...    FILES: keys and configurations; KEPT: directories that all nodes share
set -eu
name=$1 files=$2
shift 2

# own PLACE KEPT...: a new file system at PLACE, in which the kept directories below PLACE are still there.
own() {
    place=$1
    shift
    mkdir -p /run/new
    mount -t tmpfs -o mode=1777 "$name" /run/new
    for kept in "$@"; do
        case $kept in
        "$place"/*)
            mkdir -p "/run/new${kept#"$place"}"
            mount --rbind "$kept" "/run/new${kept#"$place"}"
            ;;
        esac
    done
    mount --move /run/new "$place"
}

hostname "$name"
mount --bind "$files/hosts" /etc/hosts
mount -t tmpfs -o mode=755 "$name" /run
own /tmp "$@"
own /dev/shm "$@"
mount -t tmpfs "$name" "$files/local"
mkdir /run/sshd
PATH=$PATH:/usr/sbin
# By its whole path, without which it does not start; the file of its words shows when it listens.
exec "$(command -v sshd)" -D -e -f "$files/sshd_config" >"$files/$name.log" 2>&1
