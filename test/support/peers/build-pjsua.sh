#!/bin/sh
# Builds pjsua, the softphone of PJSIP, which Debian has no package of, and installs it as /usr/local/bin/pjsua. Takes three minutes of processor time.
# The argument is a folder with the sources; without one they are fetched.
set -eu
release=2.15.1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ $# -gt 0 ]; then
  cp -R "$1/." "$folder"
else
  curl -fsSL "https://github.com/pjsip/pjproject/archive/refs/tags/$release.tar.gz" | tar -xz -C "$folder" --strip-components=1
fi
cd "$folder"
touch pjlib/include/pj/config_site.h
# Only what a call with G.711 needs.
./aconfigure CFLAGS=-O1 --disable-video --disable-sound --disable-ssl --disable-opencore-amr --disable-speex-aec --disable-speex-codec --disable-l16-codec \
  --disable-gsm-codec --disable-ilbc-codec --disable-g722-codec --disable-g7221-codec --disable-libwebrtc --disable-libyuv --disable-silk --disable-opus \
  --disable-sdl --disable-ffmpeg --disable-v4l2 --disable-libsrtp --disable-upnp
make dep
for part in pjlib pjlib-util pjnath; do make -C $part/build $part; done
for part in third_party pjmedia; do make -C $part/build; done
make -C pjsip/build pjsip pjsip-ua pjsip-simple pjsua-lib
make -C pjsip-apps/build pjsua
install pjsip-apps/bin/pjsua-* /usr/local/bin/pjsua
