"""A client of Vestry for agent loops.

`Client` and `AsyncClient` take the catalog of a turn; the turn gives the block for the prompt and the definition of the
`skill` tool, answers its calls, and can be kept in a loop's journal and resumed.
"""

from ._clients import AsyncClient, AsyncTurn, Client, Turn
from ._types import Content, ContextNode, Entry, File, Journal, Loaded, Opening, Proposal, Sdk, VestryError, Written

__all__ = [
    "AsyncClient", "AsyncTurn", "Client", "Content", "ContextNode", "Entry", "File", "Journal", "Loaded", "Opening", "Proposal", "Sdk",
    "Turn", "VestryError", "Written",
]
