# what a record costs from Python, beside NeMo Gym's own telemetry
dev build gym_python_package python_floor
environment=python/tests/python_environment.py
lists=python/tests/nemo_gym
if /usr/bin/python3 $environment build/nemo_gym_environment $lists/requirements.txt >/dev/null; then
    python=$(/usr/bin/python3 $environment build/nemo_gym_test_environment \
        $lists/requirements_of_tests.txt --below build/nemo_gym_environment \
        --package build/python_package)
else
    say "without NeMo Gym beside it"
    python=/usr/bin/python3
fi
floor=$(dirname "$(find build -name 'python_floor*.so' | head -1)")
PYTHONPATH="build/python_package:$floor" $python bench/python_bench.py "$@"
