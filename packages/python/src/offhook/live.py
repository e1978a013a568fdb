import asyncio
from dataclasses import dataclass
from typing import Any, Callable, Mapping

from .handlers import Event, Handlers, NewState, OnError, Session, complain, read_event
from .live_session import LiveSession, LiveSessionParts

# The service opens a lost connection again for ten seconds.
_kept_seconds = 15.0
_remembered_ends = 1_000

Cancel = Callable[[], None]


def _after(seconds: float, task: Callable[[], None]) -> Cancel:
    return asyncio.get_running_loop().call_later(seconds, task).cancel


@dataclass(eq=False)
class Connection:
    """What a transport needs: it hands in what it receives, and says when it is gone."""

    receive: Callable[[str | bytes], None]
    close: Callable[[], None]


@dataclass
class _Known:
    session: LiveSession
    # The latest one.
    connection: Connection | None = None
    leave: Callable[[], None] = lambda: None
    cancel: Cancel = lambda: None
    # What there is to say about it has not been sent yet.
    over: bool = False


class Live(Handlers):
    """
    An assistant over a WebSocket that speaks while it thinks: handlers are async generators, and are cancelled when the caller goes on. Calls
    outlive their connections: who is connected again goes on where it was.
    """

    def __init__(
        self,
        handlers: Mapping[str, Callable[..., Any]] | None = None,
        *,
        state: NewState | None = None,
        on_error: OnError = complain,
        apology: str | None = None,
        after: Callable[[float, Callable[[], None]], Cancel] = _after,
    ) -> None:
        super().__init__(handlers, state)
        self._on_error = on_error
        self._apology = apology
        self._after = after
        self._calls: dict[str, _Known] = {}
        # The end is repeated over a new connection if its arrival is uncertain.
        self._ended: dict[str, None] = {}

    @property
    def calls(self) -> int:
        """How many calls there are."""
        return len(self._calls)

    def connect(self, send: Callable[[str], None], leave: Callable[[], None] = lambda: None) -> Connection:
        """
        For any transport, or none: `send` gets the frames, `leave` is called when the call is over and nothing more will be said about it.
        Needs a running loop.
        """

        def receive(frame: str | bytes) -> None:
            event = read_event(frame)
            if event is None:
                return
            if event["session"]["id"] in self._ended:
                return leave() if event["type"] == "session_end" else None
            try:
                self._take(event, connection, send, leave)
            except Exception as error:
                # One call that cannot be begun must not end others. What cannot be read is a failed answer.
                self._on_error(error, event)
                send("the state of the call could not be made")

        connection = Connection(receive, lambda: self._lost(connection))
        return connection

    def close(self) -> None:
        """Ends all of them: nothing is said any more."""
        for known in self._calls.values():
            known.cancel()
            known.session.close()
        self._calls.clear()

    def _take(self, event: Event, connection: Connection, send: Callable[[str], None], leave: Callable[[], None]) -> None:
        id = event["session"]["id"]
        is_new = id not in self._calls
        known = self._begin(event["session"]) if is_new else self._calls[id]
        if known.connection is not connection:
            known.cancel()
            known.connection, known.leave = connection, leave
            known.session.connected(send)
            if known.over:
                return self._over(id)
        if event["type"] != "session_resume" or is_new:
            known.session.take(event)

    def _begin(self, session: Session) -> _Known:
        parts = LiveSessionParts(self, self._on_error, self._apology, lambda: self._over(session["id"]))
        known = self._calls[session["id"]] = _Known(LiveSession(parts, session, self._new_state(session)))
        return known

    def _lost(self, connection: Connection) -> None:
        for id, known in self._calls.items():
            if known.connection is connection:
                known.session.disconnected()
                known.cancel = self._after(_kept_seconds, lambda id=id, known=known: self._forget(id, known))  # type: ignore[misc]

    def _forget(self, id: str, known: _Known) -> None:
        known.session.close()
        self._calls.pop(id, None)

    def _over(self, id: str) -> None:
        known = self._calls.get(id)
        if known and known.session.waits:
            known.over = True
            return
        if known:
            known.cancel()
            known.leave()
            del self._calls[id]
        self._ended[id] = None
        if len(self._ended) > _remembered_ends:
            del self._ended[next(iter(self._ended))]


live = Live
