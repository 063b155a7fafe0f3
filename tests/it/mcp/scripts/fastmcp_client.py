"""Lists, gets, reads and verifies every skill of a server, and calls its tools, by FastMCP's client.

Usage: fastmcp_client.py URL TOKEN; prints one JSON document.
"""

import asyncio
import base64
import hashlib
import json
import sys

from fastmcp import Client
from fastmcp.client.auth import BearerAuth
from fastmcp.skills.client import SkillsClientExtension


async def main(url: str, token: str) -> None:
    async with Client(url, auth=BearerAuth(token), extensions=[SkillsClientExtension()]) as client:
        listed = await client.list_skills()
        found = []
        for entry in listed:
            got = await client.get_skill(entry.uri)
            assert got == entry, (got, entry)
            checked = 0
            for resource in entry.resources:
                [content] = await client.read_resource(resource.uri)
                text = getattr(content, "text", None)
                data = text.encode() if text is not None else base64.b64decode(content.blob)
                assert len(data) == resource.size, resource
                assert "sha256:" + hashlib.sha256(data).hexdigest() == resource.digest, resource
                checked += 1
            # The client's own verification: sizes, digests and the frontmatter.
            await client.read_skill(entry.uri)
            found.append({"uri": str(entry.uri), "files": checked})
        tools = [tool.name for tool in await client.list_tools()]
        block = (await client.call_tool("skill_catalog", {})).content[0].text
        loaded = await client.call_tool("skill", {"name": listed[0].frontmatter.name})
        wrong = await client.call_tool("skill", {"name": "nothing"}, raise_on_error=False)
        print(
            json.dumps(
                {
                    "skills": found,
                    "tools": tools,
                    "block": block,
                    "loaded": loaded.content[0].text,
                    "wrong": [wrong.is_error, wrong.content[0].text],
                }
            )
        )


asyncio.run(main(sys.argv[1], sys.argv[2]))
