import asyncio
import json
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Callable

from .handlers import Action, Event, Handlers, OnError, Piece, Session, awaited
from .speech_stream import SpeechStream

# A turn of its own: what was being answered before is of no use any more.
_beginning = ("session_start", "user_speak", "session_end")
# Frames for a connection that is being opened again.
_most_waiting = 1_000


class _Abort:
    """Shared by all handlers of a turn, as one signal."""

    def __init__(self) -> None:
        self.aborted = False
        self.tasks: set[asyncio.Task[None]] = set()

    def abort(self) -> None:
        if not self.aborted:
            self.aborted = True
            for task in self.tasks:
                task.cancel()


@dataclass(eq=False)
class _Running:
    turn: int
    abort: _Abort
    # It began after the abort, so there is nothing to tell it: it runs to its end, and what it gives is not sent.
    late: bool = False


@dataclass
class LiveSessionParts:
    handlers: Handlers
    on_error: OnError
    apology: str | None
    # The call is over, and what there was to say about it was said.
    on_over: Callable[[], None]


class LiveSession:
    """One call, over all its connections."""

    def __init__(self, parts: LiveSessionParts, session: Session, state: Any) -> None:
        self.session = session
        self.state = state
        # Those that have not sounded to their end, in order: the ids of those that have one.
        self.speeches: list[str | None] = []
        self._parts = parts
        self._running: set[_Running] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._current = _Running(0, _Abort())
        # Turns whose end has to be told, by whoever ends last: what is beside the answer may take longer than it.
        self._owed: set[int] = set()
        self._seen = 0
        self._streams = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._send_frame: Callable[[str], None] | None = None
        self._unsent: list[str] = []

    @property
    def waits(self) -> bool:
        """Something waits for a connection."""
        return len(self._unsent) > 0

    def connected(self, send: Callable[[str], None]) -> None:
        self._send_frame = send
        unsent, self._unsent = self._unsent, []
        for frame in unsent:
            send(frame)

    def disconnected(self) -> None:
        self._send_frame = None

    def close(self) -> None:
        """Nothing is said any more."""
        for running in self._running:
            running.abort.abort()
        self.speeches = []
        self._wake()

    def take(self, event: Event) -> None:
        sequence = event.get("sequence", self._seen + 1)
        if sequence <= self._seen:
            return  # told again after a connection was lost
        self._seen = max(self._seen, event.get("sequence", 0))
        self.session = event["session"]  # contains the current variables
        if event["type"] == "assistant_speak":
            self._sounded(event.get("stream_id"))
        if event["type"] == "action_discarded":
            self._discarded(event)
        if event["type"] in _beginning:
            if event["type"] != "session_start":
                self.close()
            self._current = _Running(event.get("turn", 0), _Abort())
        running = _Running(event.get("turn", self._current.turn), self._current.abort, late=self._current.abort.aborted)
        self._running.add(running)
        task = asyncio.get_running_loop().create_task(self._answer(event, running))
        self._tasks.add(task)  # the loop itself would forget it
        task.add_done_callback(self._tasks.discard)

    def send(self, turn: int, action: Action) -> None:
        self._frame(json.dumps({"session_id": self.session["id"], "turn": turn, **action}, ensure_ascii=False, separators=(",", ":")))

    def next_stream(self, turn: int) -> str:
        self._streams += 1
        return f"{turn}.{self._streams}"

    async def spoken(self, abort: _Abort) -> None:
        while self.speeches and not abort.aborted:
            waiting = asyncio.get_running_loop().create_future()
            self._waiting.append(waiting)
            await waiting

    def _discarded(self, event: Event) -> None:
        if is_speech(event["action"]):
            self._sounded(None)
        if event["reason"] == "superseded":
            for running in self._running:
                if running.turn == event["turn"]:
                    running.abort.abort()

    def _sounded(self, stream: str | None) -> None:
        if stream is None:
            del self.speeches[:1]
        elif stream in self.speeches:
            del self.speeches[: self.speeches.index(stream) + 1]
        self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if not one.done():
                one.set_result(None)

    async def _answer(self, event: Event, running: _Running) -> None:
        task = asyncio.current_task()
        assert task is not None
        running.abort.tasks.add(task)
        if running.abort.aborted and not running.late:
            task.cancel()  # as far as its first wait, as any other that is cancelled
        output = _Output(self, running)
        try:
            async with aclosing(self._parts.handlers.pieces(event, output)) as pieces:
                async for piece in pieces:
                    output.put(piece)
                    if running.abort.aborted:
                        break
            output.end_speech()
        except (Exception, asyncio.CancelledError) as error:
            if not running.abort.aborted:
                self._failed(error, event, output)
        self._running.discard(running)
        running.abort.tasks.discard(task)
        if event["type"] == "session_end":
            return self._parts.on_over()
        if output.used or event["type"] in awaited:
            self._owed.add(running.turn)
        if running.turn in self._owed and not any(one.turn == running.turn for one in self._running):
            self._owed.discard(running.turn)
            if not running.abort.aborted:
                self.send(running.turn, {"type": "done"})

    def _failed(self, error: BaseException, event: Event, output: "_Output") -> None:
        self._parts.on_error(error, event)
        output.end_speech()
        if output.used or event["type"] not in awaited:
            return
        if self._parts.apology is None:
            # What cannot be read is a failed answer, as a 500 is over a webhook.
            return self._frame(f"the handler of {event['type']} failed")
        output.put(self._parts.apology)
        output.end_speech()

    def _frame(self, frame: str) -> None:
        if self._send_frame:
            self._send_frame(frame)
        elif len(self._unsent) < _most_waiting:
            self._unsent.append(frame)


def is_speech(action_type: Any) -> bool:
    return action_type in ("speak", "audio")


@dataclass
class _Output:
    """What one handler gives, as actions; to the handler, its turn."""

    _live: LiveSession
    _running: _Running
    # It has given something.
    used: bool = False
    _speech: SpeechStream | None = None
    _fields: Action = field(default_factory=dict)

    @property
    def session(self) -> Session:
        return self._live.session

    @property
    def turn(self) -> int:
        return self._running.turn

    @property
    def state(self) -> Any:
        return self._live.state

    @property
    def aborted(self) -> bool:
        return self._running.abort.aborted

    async def spoken(self) -> None:
        self.end_speech()
        await self._live.spoken(self._running.abort)

    def send(self, action: Action) -> None:
        if is_speech(action["type"]):
            self._live.speeches.append(None)
        self._live.send(self.turn, action)

    def put(self, piece: Piece) -> None:
        if self.aborted or piece == "":
            return
        self.used = True
        if isinstance(piece, str):
            return self._say(piece)
        self.end_speech()
        if "speech" in piece:
            self._fields = piece["speech"]
        if "type" not in piece:
            return
        if is_speech(piece["type"]):
            self._live.speeches.append(piece.get("stream_id"))
        self._live.send(self.turn, piece)

    def end_speech(self) -> None:
        if self._speech and not self.aborted:
            self._speech.end()
        self._speech = None

    def _say(self, text: str) -> None:
        if self._speech is None:
            self._speech = SpeechStream(self._live.next_stream(self.turn), self._fields, lambda piece: self._live.send(self.turn, piece))
        begun = self._speech.begun
        self._speech.put(text)
        if not begun and self._speech.begun:
            self._live.speeches.append(self._speech.id)
