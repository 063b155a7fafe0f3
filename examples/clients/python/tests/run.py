"""The client against a running server: `python run.py sync` and `python run.py async`. See `stage` for what it needs."""

import asyncio
import functools
import json
import logging
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from stage import CONTEXT, SERVER, TOKEN, Wire, of, please, publish
from vestry import AsyncClient, AsyncTurn, Client, Journal, Turn, VestryError

AnyClient = Client | AsyncClient
AnyTurn = Turn | AsyncTurn


def anthropic(name: Any, **more: Any) -> dict[str, Any]:
    """A call as Anthropic's SDK has it."""
    return {"type": "tool_use", "id": "toolu_1", "name": "skill", "input": {"name": name, **more}}


class Block:
    """A call as the objects of an SDK have it."""

    def __init__(self, name: str) -> None:
        self.type, self.id, self.name, self.input = "tool_use", "toolu_2", "skill", {"name": name}


async def taken(turn: Turn | Awaitable[AsyncTurn]) -> AnyTurn:
    """A turn, of either kind."""
    return turn if isinstance(turn, Turn) else await turn


async def handled(turn: AnyTurn, call: Any) -> dict[str, Any]:
    """The result of a call that is one of the tool's."""
    result = await of(turn.handle(call))
    assert result is not None
    return result


async def failure(doing: Callable[[], Awaitable[Any] | Any]) -> VestryError:
    """The error of what has to fail."""
    try:
        await of(doing())
    except VestryError as error:
        return error
    raise AssertionError("it did not fail")


async def the_catalog_has_a_block_and_entries(client: AnyClient, wire: Wire) -> None:
    turn = await taken(client.turn(cap=10, session="s-1"))
    assert turn.name.startswith("t-") and turn.block.startswith("<skills>")
    names = {entry["name"]: entry for entry in turn.entries}
    assert names["refunds"]["scope"] == "tenant:acme" and names["refunds"].get("shadows") == ["global"]
    assert "payroll" not in names and turn.omitted_names == []
    asked = json.loads(wire.requests[-1].content)
    assert asked == {"turn": turn.name, "cap": 10, "session": "s-1"}
    few = await taken(client.turn(cap=1))
    assert len(few.entries) == 1 and "refunds" in few.omitted_names + [few.entries[0]["name"]]


async def the_tool_is_defined_for_every_sdk(client: AnyClient, wire: Wire) -> None:
    turn = await taken(client.turn())
    definitions = {
        "anthropic": turn.tool_definition("anthropic")["input_schema"],
        "openai": turn.tool_definition("openai")["function"]["parameters"],
        "mcp": turn.tool_definition("mcp")["inputSchema"],
    }
    for schema in definitions.values():
        assert schema["required"] == ["name"]
        assert schema["properties"]["name"]["type"] == "string" and "enum" not in schema["properties"]["name"]
    assert turn.tool_definition("openai")["type"] == "function"


async def calls_are_answered_in_their_own_shape(client: AnyClient, wire: Wire) -> None:
    turn = await taken(client.turn())
    result = await handled(turn, anthropic("refunds"))
    assert result["type"] == "tool_result" and result["tool_use_id"] == "toolu_1" and "is_error" not in result
    assert '<skill name="refunds"' in result["content"] and "Do at acme." in result["content"]
    assert json.loads(wire.requests[-1].content)["tool_call"] == "toolu_1"
    turn.forget()
    assert (await handled(turn, Block("refunds")))["tool_use_id"] == "toolu_2"
    turn.forget()
    call = {"id": "call_1", "type": "function", "function": {"name": "skill", "arguments": '{"name": "refunds"}'}}
    result = await handled(turn, call)
    assert (result["role"], result["tool_call_id"]) == ("tool", "call_1") and "Do at acme." in result["content"]
    turn.forget()
    result = await handled(turn, {"name": "skill", "arguments": {"name": "refunds"}})
    assert result["isError"] is False and "Do at acme." in result["content"][0]["text"]
    # Another tool is the loop's own, and what makes no sense is said without asking.
    before = len(wire.requests)
    assert await of(turn.handle({"id": "x", "name": "search", "input": {}})) is None
    for wrong in [anthropic(7), {**call, "function": {"name": "skill", "arguments": "{"}}, {"name": "skill"}]:
        result = await handled(turn, wrong)
        assert "Call `skill` with the name" in str(result["content"]), result
    assert len(wire.requests) == before


async def what_was_not_offered_is_told_to_the_model(client: AnyClient, wire: Wire) -> None:
    turn = await taken(client.turn())
    for name in ["payroll", "no-such-skill", "Not a name"]:
        result = await handled(turn, anthropic(name))
        assert result["is_error"] is True
        assert result["content"].startswith(f'No skill named "{name}" is available to you. Available: '), result
    call = {"id": "c", "function": {"name": "skill", "arguments": '{"name": "payroll"}'}}
    assert (await handled(turn, call))["content"].startswith("Error: No skill named")
    assert (await handled(turn, {"name": "skill", "arguments": {"name": "payroll"}}))["isError"] is True
    error = await failure(lambda: turn.load("payroll"))
    assert (error.code, error.status) == ("skill-not-offered", 404)


async def what_is_in_the_conversation_is_not_sent_again(client: AnyClient, wire: Wire) -> None:
    turn = await taken(client.turn())
    await handled(turn, anthropic("refunds"))
    again = await handled(turn, anthropic("refunds"))
    assert "in this conversation already" in again["content"] and "is_error" not in again
    turn.forget("refunds")
    assert "Do at acme." in (await handled(turn, anthropic("refunds")))["content"]
    # A load by hand asks for the body, and says nothing about the conversation.
    loaded = await of(turn.load("refunds"))
    assert loaded["already_loaded"] is False and loaded.get("body") == "Do at acme.\n"
    loaded = await of(turn.load("refunds", have=[loaded["rendered_digest"]]))
    assert loaded["already_loaded"] is True and "body" not in loaded


async def a_replaced_skill_is_told_and_a_forgotten_one_comes_again(client: AnyClient, wire: Wire) -> None:
    one = {"organization": {"name": "One"}}
    first = await taken(client.turn(context=one))
    assert "replaces" not in (await handled(first, anthropic("greeting")))["content"]
    loaded = await of(first.load("greeting", tool_call="c-9"))
    path, digest = "skill://tenant/greeting/SKILL.md", loaded["rendered_digest"]
    assert loaded.get("context_node") == {
        "skill_name": "greeting", "skill_path": path, "skill_hash": digest, "loaded_by_tool_call_id": "c-9",
        "synthetic": True, "source_node_type": "skill_context", "source_node_id": f"{path}#{digest}",
    }
    have = first.journal()["have"]
    assert have == {path: digest}
    # The next turn of the conversation: the same is not sent again, something else is told, what has left comes again.
    same = await taken(client.turn(context=one, have=have))
    assert "already" in (await handled(same, anthropic("greeting")))["content"]
    same.forget(path)
    assert (await handled(same, anthropic("greeting")))["content"].startswith("<skill")
    other = await taken(client.turn(context={"organization": {"name": "Two"}}, have=have))
    told = (await handled(other, anthropic("greeting")))["content"]
    assert told.startswith('The skill "greeting" has changed: this replaces ') and "For Two." in told, told
    assert "already" in (await handled(other, anthropic("greeting")))["content"]
    other.forget("greeting")
    assert (await handled(other, anthropic("greeting")))["content"].startswith("<skill")


async def files_and_templates_are_loaded(client: AnyClient, wire: Wire) -> None:
    turn = await taken(client.turn(context={"organization": {"name": "Acme"}}))
    assert "steps.md" in (await handled(turn, anthropic("with-files")))["content"]
    assert (await handled(turn, anthropic("with-files", file="steps.md")))["content"] == "First this.\n"
    assert "already" in (await handled(turn, anthropic("with-files", file="")))["content"]
    missing = await handled(turn, anthropic("with-files", file="other.md"))
    assert missing["is_error"] is True and "steps.md" in missing["content"]
    binary = await handled(turn, anthropic("with-files", file="logo.bin"))
    assert binary["content"] == "logo.bin has 2 bytes that are no text."
    assert (await of(turn.load_file("with-files", "logo.bin"))).get("base64") == "//4="
    assert "For Acme." in (await handled(turn, anthropic("greeting")))["content"]
    bare = await taken(client.turn())
    result = await handled(bare, anthropic("greeting"))
    assert result["is_error"] is True and "context" in result["content"], result


async def an_offer_that_has_ended_is_had_again(client: AnyClient, wire: Wire) -> None:
    turn = await taken(client.turn(cap=50))
    before = turn.journal()
    please("advance 1000")
    wire.requests.clear()
    assert "Do at acme." in (await handled(turn, anthropic("refunds")))["content"]
    assert wire.paths() == ["/v1/load", "/v1/catalog", "/v1/load"]
    after = turn.journal()
    assert after["offer"] != before["offer"] and after["etag"] == before["etag"]
    assert json.loads(wire.requests[1].content) == {"turn": turn.name, "cap": 50, "have": turn.journal()["etag"]}

    # Before its end it is not used any more: no request is spent on finding out.
    def ends_soon(request: httpx.Request, answer: httpx.Response) -> httpx.Response:
        if request.url.path != "/v1/catalog":
            return answer
        soon = (datetime.now(UTC) + timedelta(seconds=30.2)).isoformat()
        return httpx.Response(200, json={**answer.json(), "expires_at": soon})

    wire.change = ends_soon
    turn = await taken(client.turn())
    wire.change = None
    await asyncio.sleep(0.4)
    wire.requests.clear()
    await of(turn.load("refunds"))
    await of(turn.load("refunds"))
    assert wire.paths() == ["/v1/catalog", "/v1/load", "/v1/load"]
    # A server whose turn has another catalog meanwhile is not followed.
    wire.change = lambda request, answer: (
        httpx.Response(200, json={**answer.json(), "etag": "other"}) if request.url.path == "/v1/catalog" else answer
    )
    please("advance 1000")
    assert (await failure(lambda: turn.load("refunds"))).code == "turn-forgotten"
    wire.change = None


async def a_turn_goes_on_after_a_restart_with_the_same_pins(client: AnyClient, wire: Wire) -> None:
    turn = await taken(client.turn(turn=f"run-{type(client).__name__}"))
    await handled(turn, anthropic("changing"))
    kept: Journal = json.loads(json.dumps(turn.journal()))
    assert TOKEN not in json.dumps(kept)
    publish("PUT", "/v1/skills/tenant:acme/changing", {"description": "Use when it changes.", "body": "New.\n"}, If_Match="*")
    please("restart")
    resumed = await taken(client.resume(kept))
    assert resumed.entries == turn.entries and resumed.block == turn.block
    assert "already" in (await handled(resumed, anthropic("changing")))["content"]
    resumed.forget()
    assert "Old." in (await handled(resumed, anthropic("changing")))["content"]
    fresh = await taken(client.turn())
    assert "New." in (await handled(fresh, anthropic("changing")))["content"]
    other: Journal = {**kept, "etag": "sha256:other"}
    error = await failure(lambda: client.resume(other))
    assert error.code == "turn-forgotten" and error.status == 0
    error = await failure(lambda: client.turn(turn=resumed.name, cap=3))
    assert (error.code, error.status) == ("turn-conflict", 409)
    publish("PUT", "/v1/skills/tenant:acme/changing", {"description": "Use when it changes.", "body": "Old.\n"}, If_Match="*")


async def a_recalled_skill_is_told_to_the_model(client: AnyClient, wire: Wire) -> None:
    turn = await taken(client.turn())
    await handled(turn, anthropic("recalled"))
    publish("POST", "/v1/skills/tenant:acme/recalled/quarantine", {"reason": "a test"})
    result = await handled(turn, anthropic("recalled"))
    assert result["is_error"] is True and "recalled" in result["content"]
    assert turn.journal()["have"] == {}
    assert (await failure(lambda: turn.load("recalled"))).status == 410
    publish("POST", "/v1/skills/tenant:acme/recalled/release", {"reason": "a test"})


async def a_proposal_is_made_once_however_often_it_is_sent(client: AnyClient, wire: Wire) -> None:
    name = f"lesson-{type(client).__name__.lower()}"
    wire.requests.clear()
    wire.cut = 2
    made = await of(client.propose(
        "tenant:acme", name, "It came up twice.", turn="t-1", links=["https://example.org/1"],
        description="Use when it comes up.", body="Do as learned.\n",
    ))
    assert made["state"] == "open" and len(wire.requests) == 3
    keys = {request.headers["idempotency-key"] for request in wire.requests}
    assert len(keys) == 1
    again = await of(client.propose(
        "tenant:acme", name, "It came up twice.", turn="t-1", links=["https://example.org/1"], idempotency_key=keys.pop(),
        description="Use when it comes up.", body="Do as learned.\n",
    ))
    assert again["id"] == made["id"]
    error = await failure(lambda: client.propose("tenant:globex", name, "Why not.", description="Use it.", body="Do.\n"))
    assert (error.code, error.status, error.rule) == ("refused", 403, "not-in-scope"), error


async def a_skill_of_ones_own_is_written(client: AnyClient, wire: Wire) -> None:
    name = f"mine-{type(client).__name__.lower()}"
    first = await of(client.write_own_skill(name, description="Use for me.", body="One.\n"))
    assert first.get("revision") == 1 and first["scope"] == "actor:tom"
    assert (await failure(lambda: client.write_own_skill(name, description="Use for me.", body="Two.\n"))).status == 412
    second = await of(client.write_own_skill(name, replaces=first["digest"], description="Use for me.", body="Two.\n"))
    assert second.get("revision") == 2
    wire.cut = 1
    third = await of(client.write_own_skill(name, replaces="*", description="Use for me.", body="Three.\n"))
    assert third.get("revision") == 3
    # Nobody knows whether it was done, and done twice it would be refused: the caller decides.
    wire.requests.clear()
    wire.change = lambda request, answer: answer if request.method == "GET" else cut()
    error = await failure(lambda: client.write_own_skill(name, replaces=third["digest"], description="Use for me.", body="4.\n"))
    wire.change = None
    assert error.code == "no-answer" and wire.paths() == ["/v1/me", f"/v1/skills/actor:tom/{name}"]


def cut() -> httpx.Response:
    """Loses an answer."""
    raise httpx.ReadError("the line was cut")


async def a_run_is_opened(client: AnyClient, wire: Wire) -> None:
    opening = await of(client.opening(CONTEXT, turn=f"o-{id(client)}"))
    assert "Be brief." in opening["text"] and [part["name"] for part in opening["parts"]] == ["tone"]


async def a_busy_server_is_asked_again_and_a_foreign_one_is_not(client: AnyClient, wire: Wire) -> None:
    turn = await taken(client.turn())
    wire.requests.clear()
    wire.busy = 2
    await of(turn.load("refunds"))
    assert len(wire.requests) == 3
    wire.requests.clear()
    wire.busy = 100
    assert (await failure(lambda: turn.load("refunds"))).code == "busy"
    assert len(wire.requests) == 5
    wire.busy = 0
    late = httpx.Response(503, headers={"retry-after": "3600"}, json={"code": "busy", "detail": "Come back."})
    page = httpx.Response(200, headers={"content-type": "text/html"}, content=b"<html>Welcome to our network</html>")
    elsewhere = httpx.Response(302, headers={"location": "https://example.org/"})
    for answer, code in [(late, "busy"), (page, "not-vestry"), (elsewhere, "not-vestry"), (httpx.Response(204), "not-vestry")]:
        wire.requests.clear()
        wire.change = functools.partial(lambda answer, *_: answer, answer)
        assert (await failure(lambda: client.turn())).code == code
        assert len(wire.requests) == 1
    wire.change = None


async def a_token_shows_nowhere(client: AnyClient, wire: Wire) -> None:
    turn = await taken(client.turn())
    client_of_nobody = type(client)(SERVER, lambda: "no-token", transport=wire)
    error = await failure(lambda: client_of_nobody.turn())
    assert (error.code, error.status) == ("unauthenticated", 401)
    for shown in [repr(client), repr(turn), repr(error), str(error), repr(turn.journal())]:
        assert TOKEN not in shown and "no-token" not in shown, shown


async def main(kind: str) -> None:
    """Runs every case with one of the clients."""
    logs = Logs()
    logging.basicConfig(level=logging.DEBUG, handlers=[logs])
    wire = Wire()
    client: AnyClient = Client(SERVER, TOKEN, transport=wire) if kind == "sync" else AsyncClient(SERVER, TOKEN, transport=wire)
    for case in [
        the_catalog_has_a_block_and_entries, the_tool_is_defined_for_every_sdk, calls_are_answered_in_their_own_shape,
        what_was_not_offered_is_told_to_the_model, what_is_in_the_conversation_is_not_sent_again, a_replaced_skill_is_told_and_a_forgotten_one_comes_again,
        files_and_templates_are_loaded,
        a_turn_goes_on_after_a_restart_with_the_same_pins, a_recalled_skill_is_told_to_the_model,
        a_proposal_is_made_once_however_often_it_is_sent, a_skill_of_ones_own_is_written, a_run_is_opened,
        a_busy_server_is_asked_again_and_a_foreign_one_is_not, a_token_shows_nowhere, an_offer_that_has_ended_is_had_again,
    ]:
        await case(client, wire)
        print(f"{kind}: {case.__name__}", flush=True)
    await of(client.close())
    assert logs.lines and not any(TOKEN in line for line in logs.lines)


class Logs(logging.Handler):
    """Everything that is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
