# makes .venv, installs the Python package into it and runs its tests (args go to pytest)
#
# GYM_TELEMETRY_PYTHON chooses another interpreter (default /usr/bin/python3, else python3), whose
# environment is .venv-<version>. The build tools and the tests' packages come from PyPI; where it
# is not reachable that is said, and nothing is tested.

python=${GYM_TELEMETRY_PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=$(command -v python3) || die "no python3"
venv=.venv
[ -z "${GYM_TELEMETRY_PYTHON:-}" ] || venv=.venv-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')

# Debian's ensurepip is missing or broken on some machines; any pip can install into any environment.
if [ ! -x "$venv/bin/python" ]; then
    "$python" -m venv "$venv" >/dev/null 2>&1 || {
        rm -rf "$venv"
        "$python" -m venv --without-pip "$venv"
    }
fi
pip() {
    if [ -x "$venv/bin/pip" ]; then
        "$venv/bin/python" -m pip --disable-pip-version-check "$@"
    else
        python3 -m pip --disable-pip-version-check --python "$venv/bin/python" "$@"
    fi
}

log=build/python-install.log
mkdir -p build
compiler=$(command -v g++-14 || true)
say "building and installing the package into $venv"
if ! CMAKE_ARGS="${CMAKE_ARGS:-} ${compiler:+-DCMAKE_CXX_COMPILER=$compiler}" \
    pip install -q ".[test]" >"$log" 2>&1; then
    if grep -qiE "NewConnectionError|Could not find a version|ConnectionError|Temporary failure" "$log"; then
        say "SKIPPED the Python tests: PyPI is not reachable (see $log)"
        return 0
    fi
    tail -40 "$log" >&2
    die "the Python package does not install"
fi
"$venv/bin/python" -m pytest -q "$@"
