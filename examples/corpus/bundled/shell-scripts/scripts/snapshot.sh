#!/bin/sh
set -eu
name=${1:?name}
cp -- data.db "snapshots/$name.db"
echo "saved $name"
