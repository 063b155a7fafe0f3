"""What the tests stand on: a server that somebody else has started, and how to ask that somebody for something.

`VESTRY_SERVER`, `VESTRY_TOKEN` (an agent of the actor `tom`) and `VESTRY_PUBLISHER` (a publisher of its tenant) say where
and as whom, `VESTRY_CONTEXT` is the data of a run. A line `@advance 1000` on standard output moves the server's clock,
`@restart` restarts it; a line on standard input says that it is done.
"""

import inspect
import json
import os
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx

T = TypeVar("T")

SERVER = os.environ["VESTRY_SERVER"]
TOKEN = os.environ["VESTRY_TOKEN"]
PUBLISHER = os.environ["VESTRY_PUBLISHER"]
CONTEXT: dict[str, Any] = json.loads(os.environ["VESTRY_CONTEXT"])


def please(request: str) -> None:
    """Asks for something, and waits until it is done."""
    print(f"@{request}", flush=True)
    assert input() == "done", request


def publish(method: str, route: str, body: dict[str, Any], **headers: str) -> None:
    """Does something as the publisher."""
    named = {"Authorization": f"Bearer {PUBLISHER}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    httpx.request(method, SERVER + route, json=body, headers=named).raise_for_status()


async def of(value: Awaitable[T] | T) -> T:
    """What a client gives, whether it blocks or is awaited."""
    if inspect.isawaitable(value):
        return await value
    return value


class Wire(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """The wire to the server, on which a test may cut lines, count requests and change answers."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.cut = 0
        """How many answers are lost."""
        self.busy = 0
        """How many requests are answered 503 without reaching the server."""
        self.change: Callable[[httpx.Request, httpx.Response], httpx.Response] | None = None
        self._inner = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if self.busy > 0:
            self.busy -= 1
            return httpx.Response(503, headers={"retry-after": "0"}, json={"code": "busy", "detail": "Come back."})
        answer = self._inner.handle_request(request)
        answer.read()
        if self.cut > 0:
            self.cut -= 1
            raise httpx.ReadError("the line was cut")
        return self.change(request, answer) if self.change else answer

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        answer = self.handle_request(request)
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    def paths(self) -> list[str]:
        """The paths of the requests so far."""
        return [request.url.path for request in self.requests]
