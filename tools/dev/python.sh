# installs the Python package as a user does and runs its tests (--nemo-gym: NeMo Gym's under it)
#
# .venv gets the wheel that `pip install .` builds, and the tests' packages from PyPI; arguments go to
# pytest. GYM_TELEMETRY_PYTHON chooses another interpreter (default /usr/bin/python3), whose
# environment is .venv-VERSION. `./dev test` runs the same tests over the package of build/.
#
# With --nemo-gym instead: NeMo Gym 0.7.0 from PyPI, unmodified, its own tests and its sandboxes with
# a real store, under the drop-in. Where PyPI is not reachable that is said, and nothing is tested.
if [ "${1:-}" = --nemo-gym ]; then
    dev build gym_python_package
    for script in run_own_tests.py store_proof.py; do
        status=0
        /usr/bin/python3 "python/tests/nemo_gym/$script" build || status=$?
        [ $status -eq 0 ] || [ $status -eq 77 ] || die "NeMo Gym under the drop-in: see above"
    done
    return 0
fi

dev setup
python=${GYM_TELEMETRY_PYTHON:-/usr/bin/python3}
venv=.venv
[ -z "${GYM_TELEMETRY_PYTHON:-}" ] ||
    venv=.venv-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
say "building the wheel and installing it into $venv"
status=0
"$python" python/tests/python_environment.py "$venv" python/tests/requirements.txt --project . \
    >/dev/null || status=$?
[ $status -ne 77 ] || return 0
[ $status -eq 0 ] || die "the Python package does not install"
"$venv/bin/python" -m pytest -q "$@"
