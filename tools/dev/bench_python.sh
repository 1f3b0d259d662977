# what a record costs from Python, beside NeMo Gym's own telemetry
venv=.venv
[ -x .venv-nemo-gym/bin/python ] && venv=.venv-nemo-gym
[ -x "$venv/bin/python" ] || dev python --collect-only -q >/dev/null
"$venv/bin/python" bench/python_bench.py "$@"
