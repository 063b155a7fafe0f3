"""Requests and answers, without the input and output: operations are generators that yield requests."""

import random
from collections.abc import Generator, Mapping
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import httpx

from ._types import VestryError

ATTEMPTS = 5
"""How often a request is sent at most."""
LONGEST_WAIT = 60.0
"""The longest wait, in seconds, that a server may ask for before the next attempt."""


class Request(NamedTuple):
    """A request without its credential."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = {}
    repeatable: bool = True
    """Whether sending it twice does no more than sending it once."""
    wait: float = 0.0
    """Seconds to wait before it is sent."""


T = TypeVar("T")
Reply = httpx.Response | httpx.TransportError
"""An answer, or why there is none."""
Steps = Generator[Request, Reply, T]
"""An operation: yields requests, is sent their replies, returns its result."""


def path(*segments: str) -> str:
    """A path of these segments; none can add a segment or a query."""
    encoded = (quote(segment, safe=":@+") for segment in segments)
    return "/v1/" + "/".join(segment.replace(".", "%2E") if set(segment) == {"."} else segment for segment in encoded)


def given(**fields: Any) -> dict[str, Any]:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def ask(request: Request, *needed: str) -> Steps[dict[str, Any]]:
    """Sends a request until it is answered, and gives the JSON, which has the `needed` fields."""
    for attempt in range(1, ATTEMPTS + 1):
        reply = yield request
        wait = _wait(reply, attempt)
        if wait is None or not request.repeatable:
            break
        request = request._replace(wait=wait)
    return _read(reply, needed)


def _wait(reply: Reply, attempt: int) -> float | None:
    """How long to wait before the next attempt; None when there is to be none."""
    jitter: float = random.uniform(0.5, 1.0) * 0.1 * 2**attempt
    if isinstance(reply, httpx.TransportError):
        return jitter
    if reply.status_code not in (429, 503):
        return None
    asked = reply.headers.get("retry-after", "0")
    seconds = int(asked) if asked.isdecimal() else 0
    return seconds + jitter if seconds <= LONGEST_WAIT else None


def _read(reply: Reply, needed: tuple[str, ...]) -> dict[str, Any]:
    if isinstance(reply, httpx.TransportError):
        raise VestryError("no-answer", f"There is no answer: {str(reply) or type(reply).__name__}; try again.") from reply
    try:
        body = reply.json()
    except ValueError:
        body = None
    if isinstance(body, dict):
        if reply.is_success and all(name in body for name in needed):
            return body
        if reply.is_error and isinstance(body.get("code"), str):
            field = f" (field {body['field']})" if "field" in body else ""
            raise VestryError(body["code"], f"{body.get('detail', '')}{field}", reply.status_code, body.get("rule"))
    detail = f"The answer, with status {reply.status_code}, is none of a Vestry server; check the address."
    raise VestryError("not-vestry", detail, reply.status_code)
