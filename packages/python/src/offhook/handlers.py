import inspect
import json
import sys
import traceback
from contextlib import aclosing
from typing import Any, AsyncGenerator, Callable, Mapping, Protocol, TypeVar, Union

State_co = TypeVar("State_co", covariant=True)
H = TypeVar("H", bound=Callable[..., Any])

Session = dict[str, Any]
Event = dict[str, Any]
# As the contract has it, without `session_id`: it goes to the call that the event came from.
Action = Mapping[str, Any]
# What a handler gives. Strings that follow each other are one speech, spoken while the rest of it comes. {"flush": True} ends it: what follows is a
# speech of its own, because a tool may take a while. {"speech": {…}} holds for all strings after it. Anything else is an action.
Piece = Union[str, Action]
NewState = Callable[[Session], Any]
OnError = Callable[[BaseException, Event], None]

# After these the caller waits for an answer.
awaited = ("session_start", "user_speak", "user_speech_unclear", "transfer_failed")


class Turn(Protocol[State_co]):
    """What a handler is given beside the event. It is cancelled when the caller speaks again, the answer comes too late, or the call is over."""

    @property
    def session(self) -> Session: ...

    @property
    def turn(self) -> int: ...

    @property
    def state(self) -> State_co:
        """One for each call."""

    @property
    def aborted(self) -> bool:
        """Nothing that it gives is said any more: for what cannot be cancelled, such as threads."""

    async def spoken(self) -> None:
        """Ends the speech so far; returns when everything has sounded that was said in this call."""

    def send(self, action: Action) -> None:
        """Sends an action at once, beside what the handler gives, and also when it was cancelled: notes, for instance."""


class Handlers:
    """One function for each event that matters to you."""

    def __init__(self, handlers: Mapping[str, Callable[..., Any]] | None, state: NewState | None) -> None:
        self._handlers = dict(handlers or {})
        self._new_state: NewState = state or (lambda _session: {})

    def on(self, event_type: str) -> Callable[[H], H]:
        """A decorator: `@bot.on("user_speak")`. An async generator, a coroutine or a plain function of (event, turn)."""

        def take(handler: H) -> H:
            self._handlers[event_type] = handler
            return handler

        return take

    async def pieces(self, event: Event, turn: Turn[Any]) -> AsyncGenerator[Piece, None]:
        """What the handler of this event gives, of whatever kind it is."""
        handler = self._handlers.get(event["type"])
        reply: Any = handler(event, turn) if handler else None
        given = reply
        if inspect.isasyncgen(reply):
            async with aclosing(given):
                async for piece in given:
                    yield piece
            return
        if inspect.isawaitable(reply):
            reply = await reply
        if reply is not None:
            for piece in reply if isinstance(reply, (list, tuple)) else [reply]:
                yield piece


def read_event(text: str | bytes) -> Event | None:
    try:
        event = json.loads(text)
        return event if isinstance(event["type"], str) and isinstance(event["session"]["id"], str) else None
    except (ValueError, KeyError, TypeError):
        return None


def complain(error: BaseException, event: Event) -> None:
    print(f"{event['type']}:", file=sys.stderr)
    traceback.print_exception(error)
