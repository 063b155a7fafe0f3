"""The clients: what they do is written once, as generators; `Client` and `AsyncClient` differ in how they send."""

import asyncio
import functools
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, Unpack, cast

import httpx

from ._requests import Reply, Request, Steps, T, ask, given, path
from ._tool import NAME, Call, definition
from ._types import Content, Entry, File, Journal, Loaded, Opening, Proposal, VestryError, Written

P = ParamSpec("P")
S = TypeVar("S")
AnyTurn = TypeVar("AnyTurn", bound="_Turn")
Token = str | Callable[[], str]

_FOR_THE_MODEL = [
    "skill-not-offered", "skill-recalled", "file-not-found", "body-unreadable", "template-failed", "invalid-context",
]
"""Refusals that the model is told as the result of its call; everything else is the loop's to know."""


def _method(operation: Callable[..., Steps[Any]]) -> Any:
    """A method that runs an operation, as `_run` of its object does: blocking, or to be awaited."""

    @functools.wraps(operation)
    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return self._run(operation(self, *args, **kwargs))

    return method


def _blocking(operation: Callable[Concatenate[S, P], Steps[T]]) -> Callable[Concatenate[S, P], T]:
    return cast(Callable[Concatenate[S, P], T], _method(operation))


def _awaiting(operation: Callable[Concatenate[S, P], Steps[T]]) -> Callable[Concatenate[S, P], Awaitable[T]]:
    return cast(Callable[Concatenate[S, P], Awaitable[T]], _method(operation))


class _Core(Generic[AnyTurn]):
    """What both clients do."""

    _turn_type: Callable[..., AnyTurn]
    _run: Callable[[Steps[Any]], Any]

    def __init__(self, server: str, token: Token) -> None:
        self._server = server.rstrip("/")
        self._token = token

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._server!r})"

    def _sent(self, request: Request) -> dict[str, Any]:
        """A request as httpx is told it. The token is asked for each time, so that a callable may renew it."""
        token = self._token if isinstance(self._token, str) else self._token()
        if not (token.isascii() and token.isprintable()):
            raise VestryError("bad-token", "The token has characters that no token has, such as a line break.")
        headers = {**request.headers, "Authorization": f"Bearer {token}"}
        return {"method": request.method, "url": self._server + request.path, "json": request.body, "headers": headers}

    def _turn(
        self, *, turn: str | None = None, cap: int | None = None, role: str | None = None,
        token_budget: int | None = None, session: str | None = None, context: Mapping[str, Any] | None = None,
        have: Mapping[str, str] | None = None,
    ) -> Steps[AnyTurn]:
        """Takes the catalog of a turn. The same `turn` asked again keeps its catalog; it gets a name when left out.

        `context` is the data of the run, for skills that are templates. It is sent with each load, and kept nowhere.
        `have` is what the conversation has from the turns before: the `have` of the last one's journal.
        """
        name = turn or f"t-{uuid.uuid4()}"
        terms = given(turn=name, cap=cap, role=role, token_budget=token_budget, session=session)
        return (yield from self._take(terms, context, None, have))

    def _resume(self, journal: Journal, *, context: Mapping[str, Any] | None = None) -> Steps[AnyTurn]:
        """Goes on with a turn that was kept, as after a restart: the same skills, the same revisions, a fresh offer."""
        return (yield from self._take(journal["terms"], context, journal))

    def _take(
        self, terms: dict[str, Any], context: Mapping[str, Any] | None, kept: Journal | None,
        have: Mapping[str, str] | None = None,
    ) -> Steps[AnyTurn]:
        needed = ("scopes", "entries", "block", "etag", "offer", "expires_at")
        answer = yield from ask(Request("POST", path("catalog"), terms), *needed)
        return self._turn_type(self._run, terms, answer, context, kept, have)

    def _opening(
        self, context: Mapping[str, Any], *, turn: str | None = None, role: str | None = None,
        session: str | None = None,
    ) -> Steps[Opening]:
        """What a run begins with: the instruction of the role and the ambient skills, rendered with the data of the run."""
        body = given(turn=turn, role=role, session=session, context=context)
        return cast(Opening, (yield from ask(Request("POST", path("openings"), body), "text", "parts")))

    def _prompt_template(self, asked: Mapping[str, Any]) -> Steps[dict[str, Any]]:
        """The prompt template of a workflow's role, of the registry's and of a library's; `vestry.prompts` makes the prompt."""
        return (yield from ask(Request("POST", path("prompts", "resolve"), asked), "workflow", "role"))

    def _propose(
        self, scope: str, name: str, rationale: str, *, turn: str | None = None, links: Sequence[str] = (),
        idempotency_key: str | None = None, **content: Unpack[Content],
    ) -> Steps[Proposal]:
        """Puts content forward for `tenant:<id>` or `global`, for humans to decide.

        It is done once, however often it is sent with one `idempotency_key`. Keep the key to repeat it after a restart.
        """
        evidence = given(turn=turn, links=list(links))
        body = given(scope=scope, name=name, rationale=rationale, evidence=evidence, **content)
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        request = Request("POST", path("proposals"), body, headers)
        return cast(Proposal, (yield from ask(request, "id", "state", "digest")))

    def _write_own_skill(self, name: str, *, replaces: str | None = None, **content: Unpack[Content]) -> Steps[Written]:
        """Writes a skill of the caller's own: a new one, or instead of the revision with the digest `replaces`, `*` for any."""
        me = yield from ask(Request("GET", path("me")), "scopes")
        own = [scope for scope in me["scopes"] if scope.startswith("actor:")]
        if not own:
            raise VestryError("no-own-scope", "The caller acts for no actor, so that it has no scope of its own.")
        tag = "*" if replaces in (None, "*") else f'"{replaces}"'
        headers = {"If-None-Match" if replaces is None else "If-Match": tag}
        # Done twice, anything but `*` is refused the second time.
        request = Request("PUT", path("skills", own[0], name), cast(dict[str, Any], content), headers, replaces == "*")
        return cast(Written, (yield from ask(request, "scope", "digest")))


class _Turn:
    """A turn: its catalog, its offer, and which skills are in the conversation."""

    def __init__(
        self, run: Callable[[Steps[Any]], Any], terms: dict[str, Any], answer: dict[str, Any],
        context: Mapping[str, Any] | None, kept: Journal | None, have: Mapping[str, str] | None = None,
    ) -> None:
        self._run, self._terms, self._context = run, terms, context
        self._have = dict(kept["have"] if kept else have or {})
        self._etag: str = kept["etag"] if kept else answer["etag"]
        self.name: str = terms["turn"]
        """The turn."""
        self.block: str = answer["block"]
        """The catalog as the model reads it, for the system prompt; empty when nothing is offered."""
        self.scopes: list[str] = answer["scopes"]
        """The agent's scopes, narrowest first."""
        self.entries: list[Entry] = answer["entries"]
        """What is offered, in order."""
        self.omitted_names: list[str] = answer.get("omitted_names", [])
        """Up to fifty names that are visible, but beyond the cap."""
        self._renewed(answer)

    tool_definition = staticmethod(definition)

    def forget(self, *skills: str) -> None:
        """Says that these skills (names or URIs), or all, have left the conversation, as by compaction: the next call gets them again."""
        for path in tuple(self._have):
            if not skills or any(path == skill or path.endswith(f"/{skill}/SKILL.md") for skill in skills):
                del self._have[path]

    def journal(self) -> Journal:
        """What to keep, as JSON, to go on with `Client.resume` after a restart."""
        terms, have = dict(self._terms), dict(self._have)
        return {"terms": terms, "etag": self._etag, "offer": self._offer, "expires_at": self._ends_at, "have": have}

    def _handle(self, tool_call: Any) -> Steps[dict[str, Any] | None]:
        """Answers a call of the `skill` tool in the shape that it came in; None when it is a call of another tool.

        What the model can do something about is a result that is an error; everything else is raised.
        """
        call = Call.of(tool_call)
        if call.name != NAME:
            return None
        name, file = call.argument("name"), call.argument("file")
        if name is None:
            return call.result('Call `skill` with the name of an offered skill, as {"name": "..."}.', is_error=True)
        try:
            return call.result((yield from self._told(name, file, call.id)))
        except VestryError as error:
            if error.code not in _FOR_THE_MODEL:
                raise
            if error.code == "skill-recalled":
                self.forget(name)
            return call.result(error.detail, is_error=True)

    def _told(self, name: str, file: str | None, call: str) -> Steps[str]:
        """What the model is told about a skill, or about one of its files."""
        if file:
            loaded = yield from self._load_file(name, file)
            return loaded.get("text", f"{file} has {loaded['size']} bytes that are no text.")
        skill = yield from self._load(name, have=list(self._have.values()), tool_call=call or None)
        # Older servers say nothing of nodes: then the scope has to do.
        node, digest = skill.get("context_node"), skill["rendered_digest"]
        key = node["skill_path"] if node else f"{skill['scope']}/{name}/SKILL.md"
        before = {item for item in self._have.items() if item[0].endswith(f"/{name}/SKILL.md")}
        self.forget(name)
        self._have[key] = digest
        if skill["already_loaded"]:
            return f'The skill "{name}" is in this conversation already, unchanged: follow it.'
        text = skill.get("block", "")
        if skill.get("changed") or before - {(key, digest)}:
            text = f'The skill "{name}" has changed: this replaces what this conversation has of it; follow this.\n{text}'
        files = ", ".join(one["path"] for one in skill["files"])
        return f"{text}\nFiles of this skill, which `skill` reads with `file`: {files}" if files else text

    def _load(self, name: str, *, have: Sequence[str] = (), tool_call: str | None = None) -> Steps[Loaded]:
        """Loads an offered skill. `have` lists the digests of what is in the conversation; then it comes without its body."""
        is_template = any(one["name"] == name and one["templated"] for one in self.entries)
        body = given(name=name, have=list(have), tool_call=tool_call, context=self._context if is_template else None)
        return cast(Loaded, (yield from self._under(path("load"), body, "rendered_digest", "files", "already_loaded")))

    def _load_file(self, name: str, file: str) -> Steps[File]:
        """Loads a file of an offered skill."""
        return cast(File, (yield from self._under(path("load", "file"), {"name": name, "path": file}, "path", "size")))

    def _under(self, route: str, body: dict[str, Any], *needed: str) -> Steps[dict[str, Any]]:
        """Sends a request under the offer; once under a fresh one, when the offer has ended or is about to."""
        has_ended, is_fresh = time.monotonic() >= self._ends, False
        while True:
            if has_ended:
                renewal = Request("POST", path("catalog"), {**self._terms, "have": self._etag})
                self._renewed((yield from ask(renewal, "etag", "offer", "expires_at")))
                is_fresh = True
            try:
                return (yield from ask(Request("POST", route, {**body, "offer": self._offer}), *needed))
            except VestryError as error:
                has_ended = error.code == "offer-expired"
                if is_fresh or not has_ended:
                    raise

    def _renewed(self, answer: dict[str, Any]) -> None:
        """Takes a fresh offer, which has to be for the same catalog."""
        if answer["etag"] != self._etag:
            detail = f"The turn {self.name} is not kept any more: take a new one, under another name."
            raise VestryError("turn-forgotten", detail)
        self._offer: str = answer["offer"]
        self._ends_at: str = answer["expires_at"]
        left = (datetime.fromisoformat(self._ends_at) - datetime.now(UTC)).total_seconds() - 30
        # Its last half minute is not used, because a request takes time. Where the clocks differ so much that a fresh
        # offer seems to have ended, the server says when it has.
        self._ends = time.monotonic() + left if left > 0 else float("inf")


class Turn(_Turn):
    """A turn of a `Client`."""

    handle = _blocking(_Turn._handle)
    load = _blocking(_Turn._load)
    load_file = _blocking(_Turn._load_file)


class AsyncTurn(_Turn):
    """A turn of an `AsyncClient`."""

    handle = _awaiting(_Turn._handle)
    load = _awaiting(_Turn._load)
    load_file = _awaiting(_Turn._load_file)


class Client(_Core[Turn]):
    """A client that blocks. `token` is the agent's access token, or a callable that gives the current one."""

    _turn_type = Turn

    def __init__(
        self, server: str, token: Token, *, timeout: float = 35.0, transport: httpx.BaseTransport | None = None,
    ) -> None:
        super().__init__(server, token)
        self._http = httpx.Client(timeout=timeout, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def _run(self, steps: Steps[T]) -> T:
        try:
            request = next(steps)
            while True:
                time.sleep(request.wait)
                try:
                    reply: Reply = self._http.request(**self._sent(request))
                except httpx.TransportError as error:
                    reply = error
                request = steps.send(reply)
        except StopIteration as end:
            return cast(T, end.value)

    turn = _blocking(_Core[Turn]._turn)
    resume = _blocking(_Core[Turn]._resume)
    opening = _blocking(_Core[Turn]._opening)
    prompt_template = _blocking(_Core[Turn]._prompt_template)
    propose = _blocking(_Core[Turn]._propose)
    write_own_skill = _blocking(_Core[Turn]._write_own_skill)


class AsyncClient(_Core[AsyncTurn]):
    """A client for asyncio. `token` is the agent's access token, or a callable that gives the current one."""

    _turn_type = AsyncTurn

    def __init__(
        self, server: str, token: Token, *, timeout: float = 35.0, transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(server, token)
        self._http = httpx.AsyncClient(timeout=timeout, transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def _run(self, steps: Steps[T]) -> T:
        try:
            request = next(steps)
            while True:
                await asyncio.sleep(request.wait)
                try:
                    reply: Reply = await self._http.request(**self._sent(request))
                except httpx.TransportError as error:
                    reply = error
                request = steps.send(reply)
        except StopIteration as end:
            return cast(T, end.value)

    turn = _awaiting(_Core[AsyncTurn]._turn)
    resume = _awaiting(_Core[AsyncTurn]._resume)
    opening = _awaiting(_Core[AsyncTurn]._opening)
    prompt_template = _awaiting(_Core[AsyncTurn]._prompt_template)
    propose = _awaiting(_Core[AsyncTurn]._propose)
    write_own_skill = _awaiting(_Core[AsyncTurn]._write_own_skill)
