# SPDX-License-Identifier: BSD-3-Clause
"""Faults that are planted on a host of cluster_net, for as long as it lives."""

EACH = "pkill -{signal} -x xhpl; sleep {seconds}; "


def half_speed(cluster, host):
    """Its xhpl runs half of the time, until the host is repaired."""
    stop, go = EACH.format(signal="STOP", seconds=0.1), EACH.format(signal="CONT", seconds=0.1)
    cluster.start(host, f"until [ -e /run/repaired ]; do {stop}{go} done")


def repaired(cluster, host):
    """It runs at full speed again."""
    cluster.on(host, "touch /run/repaired")


def hangs(cluster, host):
    """Its xhpl stops a second after it began."""
    cluster.start(host, "while :; do pgrep -x xhpl && sleep 1 && pkill -STOP -x xhpl;"
                  " sleep 0.1; done >/dev/null")


def dies(cluster, host):
    """Its xhpl is killed while it computes."""
    cluster.start(host, "while :; do pgrep -x xhpl && sleep 2 && pkill -KILL -x xhpl;"
                  " sleep 0.1; done >/dev/null")


def settings(cluster, host, **values):
    """Settings of xhpl that only this host's environment has."""
    words = " ".join(f"XHPL_{name.upper()}={value}" for name, value in values.items())
    cluster.on(host, f"echo SetEnv {words} >> /run/sshd_config; kill -HUP 1")


def wrong(cluster, host):
    """It computes on a device that flips bits of what it gives back."""
    settings(cluster, host, devices="emu:1", emu_fault="flip@copy_out:9", trust="off")


def little_memory(cluster, host, megabytes=60):
    cluster.on(host, f"""
        sed -E 's/^(MemTotal|MemFree|MemAvailable): .*/\\1: {megabytes * 1024} kB/' \
            /proc/meminfo > /run/meminfo
        mount --bind /run/meminfo /proc/meminfo""")


def other_blas(cluster, host, xhpl):
    """Its BLAS library is another build, which computes alike."""
    cluster.on(host, f"""
        blas=$(realpath $(ldd {xhpl} | sed -n 's/.*blas.* => //p' | cut -d' ' -f1))
        cp $blas /run/blas && echo >> /run/blas && mount --bind /run/blas $blas""")


def unreachable(cluster, host):
    cluster.on(host, "ip link set eth0 down")


def slow_link(cluster, host, rate="150mbit"):
    """Packets leave and reach it slowly, and are lost where too many wait."""
    shape = f"root tbf rate {rate} burst 16k limit 64k"
    cluster.on(host, f"tc qdisc add dev eth0 {shape}")
    cluster.on(None, f"tc qdisc add dev {host} {shape}")


def full_disk(cluster, host, folder):
    """What is in folder can be read there, and nothing be written."""
    cluster.on(host, f"""
        mkdir -p {folder} /run/full && mount -t tmpfs -o size=64k none /run/full
        mkdir /run/full/upper /run/full/work
        mount -t overlay none -o lowerdir={folder},upperdir=/run/full/upper,workdir=/run/full/work {folder}
        dd if=/dev/zero of={folder}/filling bs=4k status=none 2>/dev/null || true""")
