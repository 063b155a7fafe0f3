# sourced by both
die() { echo "$*" >&2; exit 1; }
