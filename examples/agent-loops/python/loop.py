"""An agent loop on Vestry: see README.md."""

import importlib
import json
import os
import sys
import tempfile
import uuid
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scripted import ScriptedModel
from vestry import Client, Turn

TASK = os.environ.get("VESTRY_LOOP_TASK", "A customer asks about refunds: the parcel of order 4711 came broken.")
PROMPT = "You are a support agent. Use the tools that you are given, and answer in one sentence.\n\n"
MODEL_NAME = os.environ.get("VESTRY_LOOP_MODEL_NAME", "claude-sonnet-5-5")


class Crash(Exception):
    """Stands for the end of a process, at the worst moment."""


class Journal:
    """What the loop has to know to go on, as JSON lines: each step has its messages and the turn after it."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def keep(self, kind: str, value: Any) -> None:
        """Adds a line, and waits until it is on the disk."""
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"kind": kind, "value": value}) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def all(self, kind: str) -> list[Any]:
        """What was kept of this kind, oldest first."""
        if not self._file.exists():
            return []
        lines = [json.loads(line) for line in self._file.read_text(encoding="utf-8").splitlines()]
        return [line["value"] for line in lines if line["kind"] == kind]


def model() -> Any:
    """The client of Anthropic's SDK, or a script in its shape."""
    if os.environ.get("VESTRY_LOOP_MODEL", "scripted") == "anthropic":
        return importlib.import_module("anthropic").Anthropic()
    return ScriptedModel()


def begin(client: Client, journal: Journal) -> tuple[Turn, list[dict[str, Any]]]:
    """The turn and the messages that the journal has, or new ones, which are kept before they are used."""
    steps = journal.all("step")
    if steps:
        turn = client.resume(steps[-1]["turn"])
        print(f"-- going on with turn {turn.name}: {len(turn.entries)} skills, as they were")
        return turn, [message for step in steps for message in step["messages"]]
    turn = client.turn(turn=f"run-{uuid.uuid4()}")
    print(f"-- turn {turn.name}: {len(turn.entries)} skills are offered")
    print(f"user: {TASK}")
    messages = [{"role": "user", "content": TASK}]
    journal.keep("step", {"messages": messages, "turn": turn.journal()})
    return turn, messages


def run(client: Client, journal: Journal, crash_after: int) -> None:
    """Runs until the model is done, or until the crash."""
    turn, messages = begin(client, journal)
    llm = model()
    while messages[-1]["role"] == "user":
        answer = llm.messages.create(
            model=MODEL_NAME, max_tokens=1024, system=PROMPT + turn.block, messages=messages,
            tools=[turn.tool_definition("anthropic")],
        )
        results = [result for block in answer.content if (result := answered(turn, block)) is not None]
        step: list[dict[str, Any]] = [{"role": "assistant", "content": [plain(block) for block in answer.content]}]
        if results:
            step.append({"role": "user", "content": results})
        # In one line: no call stays without its result, and the turn knows which skills the conversation has.
        journal.keep("step", {"messages": step, "turn": turn.journal()})
        messages += step
        if sum(message["role"] == "assistant" for message in messages) == crash_after:
            raise Crash
    propose_lesson(client, turn, journal)


def answered(turn: Turn, block: Any) -> dict[str, Any] | None:
    """The result of a call; None for what the model only says."""
    if block.type != "tool_use":
        if block.type == "text":
            print(f"model: {block.text}")
        return None
    print(f"model calls {block.name} {json.dumps(block.input)}")
    result = turn.handle(block)
    if result is None:
        # The loop's other tools would be called here.
        result = {"type": "tool_result", "tool_use_id": block.id, "content": "There is no such tool.", "is_error": True}
    mark = "error" if result.get("is_error") else "result"
    print(f"  {mark}: {result['content'].splitlines()[0]}")
    return result


def plain(block: Any) -> dict[str, Any]:
    """A block of an answer as JSON, whether it is of the SDK or of the script."""
    dump = getattr(block, "model_dump", None)
    found: dict[str, Any] = dump(mode="json", exclude_none=True) if dump else asdict(block)
    return found


def propose_lesson(client: Client, turn: Turn, journal: Journal) -> None:
    """Puts forward what was learned, for humans to decide; the turn is the key, so that a run has one lesson."""
    if journal.all("lesson"):
        return
    scope = next((scope for scope in turn.scopes if scope.startswith("tenant:")), "global")
    lesson = client.propose(
        scope, "broken-parcels", "It came up in a run, and no skill covers it.", turn=turn.name,
        idempotency_key=f"{turn.name}-lesson",
        description="Use when a parcel came broken.", body="Ask for a photograph before anything else.\n",
    )
    journal.keep("lesson", lesson)
    print(f"-- lesson {lesson['id']} for {scope} is {lesson['state']}")


def main() -> None:
    """Runs the loop, and once more after its crash."""
    default = Path(tempfile.gettempdir()) / f"vestry-loop-{uuid.uuid4()}.jsonl"
    journal = Journal(Path(os.environ.get("VESTRY_LOOP_JOURNAL", default)))
    crash_after = int(os.environ.get("VESTRY_LOOP_CRASH", "2"))
    server, token = os.environ.get("VESTRY_SERVER"), os.environ.get("VESTRY_TOKEN")
    if not (server and token):
        sys.exit("Set VESTRY_SERVER and VESTRY_TOKEN: the server, and the access token of an agent.")
    with Client(server, token) as client:
        try:
            run(client, journal, crash_after)
        except Crash:
            print("-- the loop dies here")
            # Nothing of the first run is used again but the journal.
            run(client, journal, 0)


if __name__ == "__main__":
    main()
