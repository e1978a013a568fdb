#!/bin/sh
# Installs Debian packages without starting their daemons. One at a time: the lock is this file itself, so nothing is left behind.
# Without arguments: all that the tests with strangers want.
set -eu
[ "${LOCKED:-}" = yes ] || LOCKED=yes exec flock "$0" "$0" "$@"
if [ $# -eq 0 ]; then
  set -- sip-tester baresip-core kamailio rtpengine-daemon sipvicious chromium espeak-ng asterisk-core-sounds-en asterisk-core-sounds-en-wav asterisk-core-sounds-fr-wav \
    libspandsp2 poppler-utils efax socat libtiff-tools kannel kannel-extras sipsak oathtool jq khal pgbouncer postgresql nats-server prometheus prometheus-alertmanager \
    swift-proxy swift-account swift-container swift-object \
    python3-websockets mypy \
    systemd dbus podman buildah runc mmdebstrap caddy docker-compose \
    haproxy kamailio-websocket-modules kamailio-outbound-modules kamailio-tls-modules
  # A machine may have kubectl from another package already, and then dpkg refuses the whole installation over that one file.
  command -v kubectl > /dev/null || set -- "$@" kubernetes-client
fi

policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' > "$policy"
  chmod +x "$policy"
  trap 'rm -f "$policy"' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -q -y --no-install-recommends "$@"
