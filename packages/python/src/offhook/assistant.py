import asyncio
import json
from functools import partial
from typing import Any, Callable, Mapping, NamedTuple, Sequence

from .handlers import Action, Event, Handlers, NewState, OnError, Session, complain, read_event
from .verify_webhook import verify_webhook

_remembered_events = 1_000
_remembered_calls = 10_000


class WebhookReply(NamedTuple):
    """For your framework to send: JSON, or nothing."""

    status: int
    body: str = ""
    content_type: str = "application/json"


class Assistant(Handlers):
    """
    An assistant as a webhook, for any framework: `await bot.answer(body, headers)`. The handlers are those of `live`; what they give is joined to
    one answer.
    """

    def __init__(
        self,
        handlers: Mapping[str, Callable[..., Any]] | None = None,
        *,
        secret: str | Sequence[str] | None = None,
        state: NewState | None = None,
        on_error: OnError = complain,
    ) -> None:
        super().__init__(handlers, state)
        self._secret = secret
        self._on_error = on_error
        self._states: dict[str, Any] = {}
        self._answered: dict[str, asyncio.Future[list[Action]]] = {}
        # Calls whose present turn was answered while it was not sure that the caller had finished.
        self._ahead: set[str] = set()

    async def answer(self, body: str | bytes, headers: Mapping[str, str]) -> WebhookReply:
        """One request. The body as it came, not parsed. Without a secret every request is trusted."""
        if self._secret is not None and not verify_webhook(body, headers, self._secret):
            return WebhookReply(401)
        event = read_event(body)
        if event is None:
            return WebhookReply(400)
        event_id = next((value for name, value in headers.items() if name.lower() == "x-event-id"), None)
        try:
            actions = await self._once(event_id, event)
        except Exception as error:
            self._on_error(error, event)
            return WebhookReply(500)
        return WebhookReply(200, json.dumps(actions, ensure_ascii=False)) if actions else WebhookReply(204)

    async def _once(self, event_id: str | None, event: Event) -> list[Action]:
        """The same event may come twice, when a reply was lost: then it gets the same reply, and the handler is not called again."""
        if event_id is None:
            return await self._find(event)
        if event_id not in self._answered:
            answer = self._answered[event_id] = asyncio.ensure_future(self._find(event))
            answer.add_done_callback(partial(self._forget_failed, event_id))
            if len(self._answered) > _remembered_events:
                del self._answered[next(iter(self._answered))]
        return await asyncio.shield(self._answered[event_id])

    def _forget_failed(self, event_id: str, answer: "asyncio.Future[list[Action]]") -> None:
        if answer.cancelled() or answer.exception():
            self._answered.pop(event_id, None)

    async def _find(self, event: Event) -> list[Action]:
        id = event["session"]["id"]
        was_ahead = id in self._ahead
        self._ahead.discard(id)
        if event.get("previewed") and was_ahead:
            return []
        turn = _WebhookTurn(event, self._state_of(event["session"]))
        async for piece in self.pieces(event, turn):
            turn.put(piece)
        if event["type"] == "user_speak_preview" and turn.actions:
            self._ahead.add(id)
        if event["type"] == "session_end":
            self._states.pop(id, None)
        return turn.actions

    def _state_of(self, session: Session) -> Any:
        if session["id"] not in self._states:
            self._states[session["id"]] = self._new_state(session)
            if len(self._states) > _remembered_calls:
                del self._states[next(iter(self._states))]
        return self._states[session["id"]]


class _WebhookTurn:
    """Joins what a handler gives."""

    aborted = False

    def __init__(self, event: Event, state: Any) -> None:
        self.session: Session = event["session"]
        self.turn: int = event.get("turn", 0)
        self.state = state
        self.actions: list[Action] = []
        self._fields: Action = {}
        self._speech: dict[str, Any] | None = None

    async def spoken(self) -> None:
        """An answer over a webhook begins to sound when it is complete: there is nothing to wait for."""
        self._speech = None

    def send(self, action: Action) -> None:
        self.actions.append({"session_id": self.session["id"], **action})

    def put(self, piece: str | Action) -> None:
        if isinstance(piece, str):
            if self._speech is None:
                self._speech = {"session_id": self.session["id"], "type": "speak", "text": "", **self._fields}
                self.actions.append(self._speech)
            self._speech["text"] += piece
            return
        self._speech = None
        self._fields = piece.get("speech", self._fields)
        if "type" in piece:
            self.send(piece)


assistant = Assistant
