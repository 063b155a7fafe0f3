#!/bin/sh
set -eu
name=${1:?name}
cp -- "snapshots/$name.db" data.db
echo "restored $name"
