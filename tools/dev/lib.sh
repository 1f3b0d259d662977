# What the verbs share. Sourced by ./dev, in the root of the checkout, under set -euo pipefail.

die() {
    echo "dev: $*" >&2
    exit 1
}

say() { echo "-- $*" >&2; }

# Runs another verb in a process of its own, so that its settings stay its own.
dev() { ./dev "$@"; }

# configure DIR [CMAKE ARGS]: configures once, and again only when the arguments change.
configure() {
    local dir=$1
    shift
    local wanted="$*"
    if [ ! -e "$dir/build.ninja" ] || [ "$(cat "$dir/.configured" 2>/dev/null)" != "$wanted" ]; then
        mkdir -p "$dir"
        cmake -S . -B "$dir" -G Ninja "$@" >"$dir/configure.log" 2>&1 || {
            cat "$dir/configure.log" >&2
            die "configuring $dir failed"
        }
        echo "$wanted" >"$dir/.configured"
    fi
}

gcc_toolchain="-DCMAKE_CXX_COMPILER=g++-14 -DCMAKE_C_COMPILER=gcc-14"
# The Python package for Debian's own Python, whatever else comes first on PATH.
python_package="-DGYM_TELEMETRY_PYTHON=ON -DPython_EXECUTABLE=/usr/bin/python3"
clang_toolchain="-DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_C_COMPILER=clang-19"

# summary LOG: ctest's result as one line, `N passed, N failed`. Of a test that was run again the
# last result counts.
summary() {
    awk '/ Test +#[0-9]+: / {
             match($0, /#[0-9]+/); id = substr($0, RSTART, RLENGTH)
             last[id] = / Passed +[0-9]/ ? "passed" : /\*\*\*Skipped/ ? "skipped" : "failed"
         }
         END {
             for (id in last) count[last[id]]++
             printf "%d passed, %d failed", count["passed"], count["failed"]
             if (count["skipped"]) printf ", %d skipped", count["skipped"]
             print ""
         }' "$1"
}

# sanitized KIND DIR [CTEST ARGS]: builds with clang and that sanitizer, and runs the tests.
sanitized() {
    local kind=$1 dir=$2
    shift 2
    configure "$dir" $clang_toolchain -DGYM_TELEMETRY_SANITIZE="$kind" -DGYM_TELEMETRY_WERROR=ON
    say "building with the $kind sanitizer"
    ninja -C "$dir" >"$dir/build.log" 2>&1 || {
        grep -A 15 -E 'FAILED|error:|warning:' "$dir/build.log" | head -80 >&2
        die "the build failed; all of it is in $dir/build.log"
    }
    say "running the tests"
    ctest --test-dir "$dir" --output-on-failure -j "$(nproc)" "$@" >"$dir/test.log" 2>&1 || {
        tail -150 "$dir/test.log" >&2
        die "tests failed under the $kind sanitizer; all of it is in $dir/test.log"
    }
    summary "$dir/test.log"
}
