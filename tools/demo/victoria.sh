# a real store in the loop: what was recorded is what victoria-metrics has
# SPDX-License-Identifier: Apache-2.0
dev build gymtel demo_recorders
say "victoria-metrics: every recorder, and the replay, sent and read back"
python3 tools/demo/victoria.py --bin build/bin --rollouts examples/rollouts
say "the same with a planted difference, which must be found"
if python3 tools/demo/victoria.py --bin build/bin --rollouts examples/rollouts --plant; then
    die "a planted difference was not found"
fi
