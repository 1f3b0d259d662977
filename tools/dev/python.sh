# makes .venv, installs the Python package into it and runs its tests (args go to pytest)
#
# With --nemo-gym instead: makes .venv-nemo-gym with nemo-gym 0.7.0 from PyPI, unmodified, and runs
# its own tests (from its sdist) with the drop-in in place; the last line of each says that it was.
# GYM_TELEMETRY_PYTHON chooses another interpreter (default /usr/bin/python3, else python3), whose
# environment is .venv-<version>. The build tools and the tests' packages come from PyPI; where it
# is not reachable that is said, and nothing is tested.

nemo_gym=no
if [ "${1:-}" = --nemo-gym ]; then
    nemo_gym=yes
    shift
fi

python=${GYM_TELEMETRY_PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=$(command -v python3) || die "no python3"
venv=.venv
[ -z "${GYM_TELEMETRY_PYTHON:-}" ] || venv=.venv-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
[ $nemo_gym = no ] || venv=.venv-nemo-gym

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
if [ $nemo_gym = no ]; then
    "$venv/bin/python" -m pytest -q "$@"
    return 0
fi

# What 0.7.0's telemetry modules and their tests import. Its own requirements hold much more, and
# ask for a newer Python than Debian's, which works.
version=0.7.0
packages="nemo-lens==0.1.0 opentelemetry-sdk==1.45.1 opentelemetry-proto==1.45.1
    opentelemetry-instrumentation-fastapi==0.66b1 opentelemetry-instrumentation-aiohttp-client==0.66b1
    pytest pytest-asyncio aiohttp omegaconf hydra-core pydantic orjson psutil fastapi uvicorn httpx
    tqdm openai tenacity pandas rich requests aiofiles itsdangerous httptools scipy wandb anthropic ray==2.56.1"
say "installing nemo-gym $version and what its telemetry needs"
{
    pip install -q --no-deps --ignore-requires-python "nemo-gym==$version"
    pip install -q $packages
    [ -d "build/nemo_gym-$version" ] || {
        pip download -q --no-deps --ignore-requires-python --no-binary :all: -d build \
            "nemo-gym==$version"
        tar -C build -xf "build/nemo_gym-$version.tar.gz"
    }
} >"$log" 2>&1 || {
    say "SKIPPED NeMo Gym's tests: PyPI does not give its packages (see $log)"
    return 0
}
plugins=$PWD/tools/dev
root=$PWD
cd "build/nemo_gym-$version"
for test in telemetry/test_{sandbox_active,sandbox_create_retry,sandbox_lifecycle_metrics} \
    telemetry/test_{connection_pool,metrics,overhead,config,memory} \
    test_{rollout_outcomes,failure_kinds}; do
    GYM_TELEMETRY=1 PYTHONPATH="$plugins" "$root/$venv/bin/python" -m pytest -q --no-header \
        -p nemo_gym_tests -p no:cacheprovider "tests/unit_tests/$test.py" >"$root/$log" 2>&1 ||
        { tail -40 "$root/$log" >&2 && failed=yes; }
    echo "$test: $(grep -oE '[0-9]+ (passed|failed|skipped)[^=]*' "$root/$log" | tail -1)" \
        "$(grep -o 'drop-in in place: .*' "$root/$log")"
done
cd "$root"
[ -z "${failed:-}" ] || die "tests of NeMo Gym fail under the drop-in"
