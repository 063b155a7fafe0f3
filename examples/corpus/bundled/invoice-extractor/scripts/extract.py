#!/usr/bin/env python3
"""Print the words of a PDF with their positions, one a line."""
import sys


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: extract.py FILE", file=sys.stderr)
        return 2
    print(f"would read {sys.argv[1]}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
