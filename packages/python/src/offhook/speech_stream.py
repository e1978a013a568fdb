import re
from typing import Any, Callable, Mapping

# A clause and the beginning of what follows it: less cannot be spoken, because nobody knows yet where the breath ends.
_breath = re.compile(r"""\S{2,}[,;:.!?…]["'”’)]*\s+\S""")
_longest_held = 140
# A voice does not wait for more than that either.
_longest_breath = 400


class SpeechStream:
    """
    Words of one speech, as they come. The first breath goes out token by token, because the caller waits for it; what follows in pieces that a
    voice can use, because every frame is an entry in the timeline of the call.
    """

    def __init__(self, id: str, fields: Mapping[str, Any], send: Callable[[dict[str, Any]], None]) -> None:
        self.id = id
        # Something of it was sent: it will sound.
        self.begun = False
        self._fields = fields
        self._send = send
        self._held = ""
        self._first = ""
        self._breathed = False

    def put(self, text: str) -> None:
        self._held += text
        if not self.begun and self._held.strip() == "":
            return
        if not self._breathed:
            self._first += text
            self._breathed = len(self._first) > _longest_breath or _breath.search(self._first) is not None
            self._flush(last=False)
        elif len(self._held) >= _longest_held or _breath.search(self._held):
            self._flush(last=False)

    def end(self) -> None:
        if self.begun:
            self._flush(last=True)

    def _flush(self, last: bool) -> None:
        fields = {} if self.begun else self._fields
        self.begun = True
        self._send({"type": "speak", "stream_id": self.id, "text": self._held, "last": last, **fields})
        self._held = ""
