from __future__ import annotations

import asyncio
import hmac
import signal
from http import HTTPStatus
from importlib import import_module, metadata
from typing import Any, Awaitable, Callable, Mapping

from .live import Live

Flows = Mapping[str, Live]


class Server:
    """Listens. Each call has a connection of its own."""

    def __init__(self, flows: Flows, key: str | None) -> None:
        self._flows = {path.rstrip("/"): bot for path, bot in flows.items()}
        self._key = key
        self._stopping = False
        self._open: set[asyncio.Task[Any]] = set()
        self._listener: Any = None

    @property
    def port(self) -> int:
        return int(next(iter(self._listener.sockets)).getsockname()[1])

    async def close(self, within: float = 60) -> None:
        """New calls are refused, those that there are end as they are; after so many seconds they are ended."""
        self._stopping = True
        if self._open:
            await asyncio.wait(self._open, timeout=within)
        for bot in self._flows.values():
            bot.close()
        self._listener.close()
        await self._listener.wait_closed()

    async def listen(self, port: int, host: str) -> Server:
        self._listener = await _listen(self._gate, self._converse, host, port)
        return self

    def _gate(self, path: str, key: str) -> HTTPStatus | None:
        if self._stopping:
            return HTTPStatus.SERVICE_UNAVAILABLE
        if self._key is not None and not hmac.compare_digest(key.encode(), self._key.encode()):
            return HTTPStatus.UNAUTHORIZED
        return None if _plain(path) in self._flows else HTTPStatus.NOT_FOUND

    async def _converse(self, socket: Any, path: str) -> None:
        frames: asyncio.Queue[str | None] = asyncio.Queue()
        connection = self._flows[_plain(path)].connect(frames.put_nowait, lambda: frames.put_nowait(None))
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        writer = asyncio.ensure_future(_write(socket, frames))
        try:
            async for frame in socket:
                connection.receive(frame)
        finally:
            self._open.discard(task)
            writer.cancel()
            connection.close()


def _plain(path: str) -> str:
    return path.partition("?")[0].rstrip("/")


async def _write(socket: Any, frames: asyncio.Queue[str | None]) -> None:
    while (frame := await frames.get()) is not None:
        await socket.send(frame)
    await socket.close(1000)


async def serve(flows: Live | Flows, port: int = 3001, host: str = "127.0.0.1", *, key: str | None = None) -> Server:
    """
    Opens a WebSocket server for one assistant, or several by their paths. `key` is the flow's apiKey: without it everybody is answered who reaches
    the port, and only this machine reaches the usual host. Needs the package `websockets` (`pip install offhook[serve]`).
    """
    return await Server({"/": flows} if isinstance(flows, Live) else flows, key).listen(port, host)


def run(flows: Live | Flows, port: int = 3001, host: str = "127.0.0.1", *, key: str | None = None) -> None:
    """Serves until the process is told to stop (SIGTERM, Ctrl-C); then the calls that there are end as they are. Prints its address."""

    async def main() -> None:
        stop = asyncio.Event()
        for one in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(one, stop.set)
        server = await serve(flows, port, host, key=key)
        print(f"ws://{host}:{server.port}/", flush=True)
        await stop.wait()
        await server.close()

    asyncio.run(main())


async def _listen(gate: Callable[[str, str], HTTPStatus | None], converse: Callable[[Any, str], Awaitable[None]], host: str, port: int) -> Any:
    listen: Any = import_module("websockets").serve

    def check(connection: Any, request: Any) -> Any:
        status = gate(request.path, request.headers.get("x-api-key", ""))
        return status and connection.respond(status, f"{status.phrase}\n")

    async def check_before_14(path: str, headers: Any) -> Any:
        status = gate(path, headers.get("x-api-key", ""))
        return status and (status, [], f"{status.phrase}\n".encode())

    if int(metadata.version("websockets").split(".")[0]) < 14:  # as Debian 12 has it
        return await listen(lambda socket: converse(socket, socket.path), host, port, process_request=check_before_14, compression=None)
    return await listen(lambda socket: converse(socket, socket.request.path), host, port, process_request=check, compression=None)
