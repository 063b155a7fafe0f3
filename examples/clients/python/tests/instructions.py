"""What this client makes of trees that somebody else has made: `python instructions.py CASES DIRECTORY`, a line a case."""

import json
import os
import sys
from typing import Any

from vestry.instructions import InstructionError, read_instruction, scan_instructions

with open(sys.argv[1], encoding="utf-8") as file:
    cases = json.load(file)
for index, case in enumerate(cases):
    place = os.path.join(sys.argv[2], str(index))
    home = os.path.join(place, "home")
    options: dict[str, Any] = {"home": home if os.path.isdir(home) else None, "gitignore": case.get("gitignore", False)}
    project = os.path.join(place, "project")
    reads: list[Any] = []
    for read in case.get("reads", []):
        try:
            reads.append(read_instruction(project, read["path"], level=read["level"], have=read.get("have"), **options))
        except InstructionError as error:
            reads.append({"error": str(error)})
    print(json.dumps({"catalog": scan_instructions(project, **options), "reads": reads}))
