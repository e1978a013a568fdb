"""Assistants for the phone, with Offhook. The words are those of the TypeScript SDK."""

from .assistant import Assistant, WebhookReply, assistant
from .client import ApiError, Client
from .handlers import Action, Event, Piece, Session, Turn
from .live import Connection, Live, live
from .serve import Server, run, serve
from .verify_webhook import verify_webhook

__all__ = [
    "Action",
    "ApiError",
    "Assistant",
    "Client",
    "Connection",
    "Event",
    "Live",
    "Piece",
    "Server",
    "Session",
    "Turn",
    "WebhookReply",
    "assistant",
    "live",
    "run",
    "serve",
    "verify_webhook",
]
