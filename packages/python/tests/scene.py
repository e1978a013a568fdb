"""A call without a service: events go in by hand, actions come out."""

import asyncio
import json
from typing import Any

from offhook import Live

session = {"id": "s1", "account_id": "1234567", "phone_number": "4930000000"}


async def settle() -> None:
    """Until nobody can go on without something from outside."""
    for _ in range(20):
        await asyncio.sleep(0)


class Call:
    def __init__(self, bot: Live) -> None:
        self.bot = bot
        self.sent: list[dict[str, Any]] = []
        self.texts: list[str] = []
        self.left = 0
        self._sequence = 0
        self.reopen()

    def reopen(self) -> None:
        self._connection = self.bot.connect(self._take, self._leave)

    def lose(self) -> None:
        self._connection.close()

    async def tell(self, type: str, turn: int = 0, **fields: Any) -> None:
        self.post(type, turn, **fields)
        await settle()

    def post(self, type: str, turn: int = 0, **fields: Any) -> None:
        self._sequence += 1
        event = {"session": session, "sequence": self._sequence, "type": type, "turn": turn, **fields}
        self._connection.receive(json.dumps({name: value for name, value in event.items() if value is not None}))

    async def say(self, turn: int, text: str, **fields: Any) -> None:
        await self.tell("user_speak", turn, text=text, barged_in=False, **fields)

    def spoken(self) -> str:
        return "".join(action["text"] for action in self.sent if action["type"] == "speak")

    def types(self) -> list[str]:
        return [action["type"] for action in self.sent]

    def bare(self) -> list[dict[str, Any]]:
        return [{name: value for name, value in action.items() if name not in ("session_id", "turn")} for action in self.sent]

    def _take(self, frame: str) -> None:
        if frame.startswith("{"):
            self.sent.append(json.loads(frame))
        else:
            self.texts.append(frame)

    def _leave(self) -> None:
        self.left += 1
