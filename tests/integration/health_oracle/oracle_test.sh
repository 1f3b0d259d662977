#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs SCRIPT with its arguments in an environment that has nemo-gym 0.7.0; exits with 77 when
# there can be none. The environment is made once a build folder.
#     oracle_test.sh ENVIRONMENT SCRIPT [ARGS]
set -euo pipefail
folder=$1
here=$(dirname "${BASH_SOURCE[0]}")
shift
mkdir -p "$folder"
exec 9>"$folder.lock"
flock 9
python=$(python3 "$here/environment.py" "$folder")
flock -u 9
exec "$python" -W ignore "$@"
