"""What no table of launches can say: races, bytes that are no text, and what is too much. Neither needs a server."""

import os
import tempfile
import time
from typing import Any

from vestry import Client
from vestry.instructions import InstructionError, read_instruction
from vestry.instructions._files import Uncounted, bytes_of, counted, opened
from vestry.prompts import Launch, Prompt, PromptError, resolve_prompt


def read(root: str, path: str) -> bytes:
    with opened(root, path) as file:
        return bytes_of(file, 100)


def fails(kind: type[Exception], root: str, path: str) -> None:
    try:
        read(root, path)
    except kind:
        return
    raise AssertionError(path)


def made(home: str, **fields: Any) -> Prompt:
    usual: dict[str, Any] = {
        "workflow": "bugfix", "role": "review", "worktree": f"{home}/tree", "library": f"{home}/library", "environment": {},
    }
    with Client("http://127.0.0.1:9", "none") as client:
        return resolve_prompt(client, Launch(**{**usual, **fields}))


def refused(words: str, home: str, **fields: Any) -> None:
    try:
        made(home, **fields)
    except PromptError as error:
        assert words in str(error), str(error)
        return
    raise AssertionError(words)


def write(place: str | bytes, text: str) -> None:
    with open(place, "w", encoding="utf-8") as file:
        file.write(text)


def given(template: str) -> dict[str, Any]:
    return {"reviewPromptTemplate": template}


def swapped(home: str) -> None:
    """What a look has found is swapped for a link before it is opened."""
    tree = f"{home}/tree"
    found = counted(tree, "d/CLAUDE.md")
    assert read(tree, found) == b"inside\n"
    os.rename(f"{tree}/d", f"{tree}/before")
    os.symlink(f"{home}/outside/d", f"{tree}/d")
    fails(OSError, tree, found)
    try:
        read_instruction(tree, "d/CLAUDE.md", home=None)
        raise AssertionError
    except InstructionError:
        pass
    os.symlink(f"{home}/outside/d/CLAUDE.md", f"{tree}/before/AGENTS.md")
    fails(OSError, tree, "before/AGENTS.md")
    fails(Uncounted, tree, "before")
    assert read(tree, "before/CLAUDE.md") == b"inside\n"


def too_much(home: str) -> None:
    keys = {f"k{at}": " " for at in range(201)}
    refused("more than 200 keys", home, inputs=given("x"), context=keys)
    keys.popitem()
    assert made(home, inputs=given("x"), context=keys)["prompt"] == "x"
    start = time.monotonic()
    mebibyte, many = "é" * (1 << 19), "{{a}}" * 200_000
    refused("4194304 bytes", home, inputs=given(many), context={"a": mebibyte})
    refused("4194304 bytes", home, inputs=given("{{a}}{{a}}{{a}}{{a}}b"), context={"a": mebibyte})
    refused("4194304 bytes", home, inputs=given("{{a}}{{a}}{{a}}{{a}}"), context={"a": mebibyte, "b": "x"})
    assert len(made(home, inputs=given("{{a}}{{a}}{{a}}{{a}}"), context={"a": mebibyte})["prompt"]) == 1 << 21
    assert made(home, inputs=given(many), context={"a": " " * (2 << 20)})["prompt"] == ""
    refused("not in the worktree", home, inputs=given("@x.md" + " " * (1 << 20)))
    refused("refused", home, inputs=given("@" + " " * (1 << 20) + "x"))
    assert time.monotonic() - start < 20


def no_text(home: str) -> None:
    for fields in (
        {"inputs": given("x\ud800")}, {"inputs": given("x"), "context": {"a": "\udc00"}}, {"turn": "\ud800"},
        {"inputs": given("{{subtask}}"), "inline_prompt": "\ud800"}, {"inputs": {"reviewPromptTemplateSource": "\ud800"}},
    ):
        refused("surrogate", home, **fields)
    refused("no text", home, inputs=given("x"), context={1: "x"})
    refused("give another", home, inputs=given("@x.md"), worktree=f"{home}/nowhere")
    refused("give another", home, inputs=given("@x.md"), worktree=f"{home}/outside/d/CLAUDE.md")


def libraries(home: str) -> None:
    names = [f"{home}/library/{at}.md" for at in range(201)]
    for name in names:
        write(name, "x\n")
    refused("more than 200 templates", home)
    for name in names:
        os.unlink(name)
    write(f"{home}/library/large.md", "x" * ((1 << 20) + 1))
    refused("large.md of your library is refused: it has more than 1048576 bytes", home)
    os.unlink(f"{home}/library/large.md")
    os.symlink("nothing", f"{home}/library/link.md")
    refused("link.md of your library is refused", home)
    os.unlink(f"{home}/library/link.md")
    try:
        write(os.fsencode(f"{home}/library/") + b"\xff.md", "x\n")
        refused("whose name is no text", home)
    except OSError:
        print("this file system has no names that are no text")
    refused("cannot be read", home, library=f"{home}/nowhere")


with tempfile.TemporaryDirectory() as home:
    home = os.path.realpath(home)
    for folder in ("outside/d", "tree/d", "library"):
        os.makedirs(f"{home}/{folder}")
    write(f"{home}/outside/d/CLAUDE.md", "outside\n")
    write(f"{home}/tree/d/CLAUDE.md", "inside\n")
    for part in (swapped, too_much, no_text, libraries):
        part(home)
print("passed")
