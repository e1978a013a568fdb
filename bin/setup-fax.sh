#!/bin/sh
# Installs what faxes need: libspandsp (the modem) and Poppler (makes pages of documents; without it pdf.js does, more slowly).
set -eu

library=libspandsp.so.2
places="/usr/lib /usr/lib64 /usr/local/lib /lib /opt/homebrew/lib /opt/local/lib"
# shellcheck disable=SC2086 # these are several folders
has_library() { [ -n "$(find $places \( -name "$library*" -o -name 'libspandsp.2.dylib' \) 2> /dev/null | head -n 1)" ]; }
has_poppler() { command -v pdftoppm > /dev/null && command -v pdfinfo > /dev/null; }

if has_library && has_poppler; then
  echo "Everything that faxes need is there."
  exit 0
fi

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"
  elif command -v sudo > /dev/null; then sudo "$@"
  else
    echo "This takes root: $*" >&2
    exit 1
  fi
}

if command -v apt-get > /dev/null; then
  as_root apt-get update -q
  as_root apt-get install -q -y --no-install-recommends libspandsp2 poppler-utils
elif command -v dnf > /dev/null; then
  as_root dnf install -y spandsp poppler-utils
elif command -v apk > /dev/null; then
  as_root apk add spandsp poppler-utils
elif command -v brew > /dev/null; then
  # Homebrew refuses to run as root.
  brew install spandsp poppler
else
  echo "Please install libspandsp 0.0.6 ($library) and Poppler's programs pdftoppm and pdfinfo with this system's package manager." >&2
  exit 1
fi
echo "Faxes can be sent and received. A service that is running prints with Poppler from its next start on."
