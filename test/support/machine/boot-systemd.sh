#!/bin/sh
# Starts systemd as the first process of namespaces that the caller made, on a copy of this machine's files that is forgotten with them.
#   boot-systemd.sh FOLDER [FROM TO]...    FOLDER/files is laid over that copy; FOLDER/console gets what systemd says; FROM is seen at TO
set -eu
folder=$1
shift
mount --make-rprivate /
mount -t tmpfs -o mode=755 copy "$folder/copy"
cd "$folder/copy"
mkdir upper work root
cp -a "$folder/files/." upper
mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
cd root
# Before /tmp is another one, where they may lie. A copy has nothing of file systems that are mounted somewhere below.
while [ $# -gt 0 ]; do
  mkdir -p "$(dirname ".$2")"
  if [ -d "$1" ]; then mkdir ".$2"; else touch ".$2"; fi
  mount --rbind "$1" ".$2"
  shift 2
done
mount -t proc proc proc
mount -o bind,ro proc/sys proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 run run
mount -t tmpfs -o mode=1777 tmp tmp
mount -t tmpfs -o mode=755 dev dev
for device in null zero full random urandom tty; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
touch dev/console
mount --bind "$folder/console" dev/console
mkdir dev/pts dev/shm dev/mqueue
ln -s pts/ptmx dev/ptmx
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
mount -t tmpfs -o mode=1777 shm dev/shm
mount -t mqueue mqueue dev/mqueue
# What sets up a machine is not wanted here: the kernel is that of the machine around.
for unit in systemd-sysctl.service systemd-modules-load.service systemd-remount-fs.service systemd-update-utmp.service systemd-udevd.service \
  systemd-udev-trigger.service systemd-journal-flush.service systemd-networkd-wait-online.service dev-hugepages.mount dev-mqueue.mount \
  sys-kernel-debug.mount sys-kernel-tracing.mount sys-fs-fuse-connections.mount network-online.target; do
  ln -sf /dev/null "etc/systemd/system/$unit"
done
# Not only chroot: services get file systems of their own, which systemd can make only where its root is the real one.
pivot_root . mnt
umount -l mnt
# Credentials are mounted by a child of systemd, and have to be seen by the others.
mount --make-rshared /
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot . /lib/systemd/systemd --system --unit=dbus.service --show-status=no
