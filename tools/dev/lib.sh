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
clang_toolchain="-DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_C_COMPILER=clang-19"
