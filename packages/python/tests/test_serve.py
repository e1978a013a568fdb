import asyncio
import json
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any
from unittest import IsolatedAsyncioTestCase, skipUnless

from offhook import Live, live, serve
from tests.scene import session


def connect(url: str, key: str | None = "key") -> Any:
    headers = {} if key is None else {"x-api-key": key}
    name = "additional_headers" if int(metadata.version("websockets").split(".")[0]) >= 14 else "extra_headers"
    return import_module("websockets").connect(url, **{name: headers})


def greeter(text: str) -> Live:
    return live({"session_start": lambda event, turn: text})


def event(type: str, **fields: Any) -> str:
    return json.dumps({"type": type, "session": session, "turn": 0, "sequence": 1, **fields})


async def said(socket: Any) -> str:
    """Until the turn is done."""
    text = ""
    while (action := json.loads(await socket.recv()))["type"] != "done":
        text += action.get("text", "")
    return text


@skipUnless(find_spec("websockets"), "websockets is not installed")
class Serving(IsolatedAsyncioTestCase):
    async def test_several_flows_by_path_for_those_who_have_the_key(self) -> None:
        server = await serve({"/sales": greeter("Sales."), "/support": greeter("Support.")}, 0, key="key")
        base = f"ws://127.0.0.1:{server.port}"
        for path, greeting in (("/sales", "Sales."), ("/support/?a=b", "Support.")):
            async with connect(base + path) as socket:
                await socket.send(event("session_start"))
                self.assertEqual(await said(socket), greeting)
        for path, key, status in (("/sales", "other", "401"), ("/sales", None, "401"), ("/elsewhere", "key", "404")):
            with self.assertRaisesRegex(Exception, status):
                await connect(base + path, key)
        await server.close()

    async def test_who_is_stopped_lets_calls_end_and_takes_no_more(self) -> None:
        bot = greeter("Hello.")
        server = await serve(bot, 0)
        url = f"ws://127.0.0.1:{server.port}/"
        async with connect(url) as socket:
            await socket.send(event("session_start"))
            await said(socket)
            closing = asyncio.ensure_future(server.close())
            await asyncio.sleep(0)
            with self.assertRaisesRegex(Exception, "503"):
                await connect(url)
            await socket.send(event("user_speak", turn=1, sequence=2, text="a", barged_in=False))
            self.assertEqual(await said(socket), "")
            self.assertFalse(closing.done())
            await socket.send(event("session_end", sequence=3, reason="caller_hangup"))
            await socket.wait_closed()  # by the server: nothing more is said about this call
        await closing
        self.assertEqual(bot.calls, 0)

    async def test_calls_that_do_not_end_are_ended(self) -> None:
        cancelled = asyncio.Event()

        async def forever(event: Any, turn: Any) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()

        server = await serve(live({"session_start": forever}), 0)
        async with connect(f"ws://127.0.0.1:{server.port}/") as socket:
            await socket.send(event("session_start"))
            while not server._open or not next(iter(server._flows.values())).calls:
                await asyncio.sleep(0)
            await server.close(within=0)
        self.assertTrue(cancelled.is_set())
