"""What this client makes of launches that somebody else has prepared: `python prompts.py CASES DIRECTORY SERVER TOKEN`, a line a case."""

import asyncio
import json
import os
import sys
from typing import Any

from vestry import AsyncClient, Client, VestryError
from vestry.prompts import Launch, PromptError, resolve_prompt, resolve_prompt_async

NAMES = {"primaryRole": "primary_role", "inlinePrompt": "inline_prompt"}

table, directory, server, token = sys.argv[1:]
with open(table, encoding="utf-8") as file:
    cases = json.load(file)


async def awaited(launch: Launch) -> Any:
    """The same by the client for asyncio."""
    async with AsyncClient(server, token) as client:
        return await resolve_prompt_async(client, launch)


with Client(server, token) as client:
    for index, case in enumerate(cases):
        place = os.path.join(directory, str(index))
        given = {NAMES.get(name, name): value for name, value in case["launch"].items()}
        fields: dict[str, Any] = {"workflow": "bugfix", "role": "review", **given}
        fields.update(worktree=os.path.join(place, "tree"), library=os.path.join(place, "library"))
        launch = Launch(**fields, environment=case.get("environment", {}))
        try:
            prompt = resolve_prompt(client, launch)
            assert asyncio.run(awaited(launch)) == prompt
            print(json.dumps(prompt))
        except (PromptError, VestryError) as error:
            print(json.dumps({"refused": str(error)}))
