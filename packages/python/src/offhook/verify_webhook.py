import base64
import hashlib
import hmac
import math
import time
from typing import Mapping, Sequence

# How far the clocks of sender and receiver may be apart; older requests may be replayed by an attacker.
_tolerance_seconds = 300


def verify_webhook(body: str | bytes, headers: Mapping[str, str], secrets: str | Sequence[str], now: float | None = None) -> bool:
    """Whether a request was signed with one of these secrets (`whsec_…`), recently (Standard Webhooks). The body as it came, not parsed."""
    given = {name.lower(): value for name, value in headers.items()}
    id, timestamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not id or not _is_recent(timestamp, time.time() if now is None else now):
        return False
    raw = body.encode() if isinstance(body, str) else body
    right = [_signature(secret, f"{id}.{timestamp}.".encode() + raw) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    signatures = [one.encode() for one in given.get("webhook-signature", "").split(" ")]
    return any(hmac.compare_digest(one, other) for one in signatures for other in right)


def _is_recent(timestamp: str, now: float) -> bool:
    try:
        seconds = float(timestamp)
    except ValueError:
        return False
    return math.isfinite(seconds) and abs(now - seconds) <= _tolerance_seconds


def _signature(secret: str, message: bytes) -> bytes:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return b"v1," + base64.b64encode(hmac.new(key, message, hashlib.sha256).digest())
