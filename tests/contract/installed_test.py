# SPDX-License-Identifier: Apache-2.0
"""Installs into an empty prefix, builds and runs a program against it by find_package and by
pkg-config, and holds the exported names to tests/contract/data/exported_names.txt.

`installed_test.py SOURCE BUILD COMPILER --golden` rewrites that list."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
flags = [flag for flag in sys.argv[4:] if flag != "--golden"]
golden = root / "tests/contract/data/exported_names.txt"
PROGRAM = """#include <gym/telemetry/telemetry.hpp>
int main() {
    namespace gt = gym::telemetry;
    gt::init({.enabled = true, .exporter = "memory", .ignore_environment = true});
    gt::record_sandbox_create_retry("docker");
    gt::bind_sandbox_create_retry("docker").record();
    for (const auto& p : gt::collect().points)
        if (p.instrument == gt::sandbox_create_retry_instrument)
            return std::get<std::int64_t>(p.value) == 2 ? 0 : 1;
    return 2;
}
"""
BRIDGE_PROGRAM = """#include <gym/telemetry/otel/adopt.hpp>
#include <gym/telemetry/telemetry.hpp>
#include <opentelemetry/sdk/metrics/meter_provider.h>
int main() {
    namespace gt = gym::telemetry;
    namespace ot = opentelemetry;
    auto owned = std::make_shared<ot::sdk::metrics::MeterProvider>();
    ot::nostd::shared_ptr<ot::metrics::MeterProvider> meters(
        std::static_pointer_cast<ot::metrics::MeterProvider>(owned));
    if (!gt::otel::adopt(meters, {}, {.ignore_environment = true}).is_exporting()) return 1;
    gt::record_sandbox_create_retry("docker");
    return gt::shutdown() ? 0 : 2;
}
"""
BRIDGE_LISTS = """cmake_minimum_required(VERSION 3.28)
project(user LANGUAGES CXX)
find_package(gym_telemetry CONFIG REQUIRED COMPONENTS otel)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE gym_telemetry::otel)
"""
LISTS = """cmake_minimum_required(VERSION 3.28)
project(user LANGUAGES CXX)
find_package(gym_telemetry CONFIG REQUIRED)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE gym_telemetry::gym_telemetry)
"""
launcher = ["ccache"] if shutil.which("ccache") else []


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def exported_names(library):
    names = set()
    for line in run("nm", "-D", "--defined-only", "-C", library).splitlines():
        name = line.split(" ", 2)[2]
        # The two spellings of one function for constructors and destructors fall together.
        names.add(re.sub(r"\[abi:cxx11\]", "", name).split("@")[0])
    return sorted(names)


def found_before(work):
    """A cache with what the build found of re2. gRPC's package, which the bridge's user looks for,
    asks pkg-config for it, and that walks all paths through Abseil's packages: 25 s each time."""
    entries = re.findall(r"^((?:__pkg_config_\w+_RE2|RE2_\w+)):\w+=(.*)$",
                         (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    lines = [f'set({name} [=[{value}]=] CACHE INTERNAL "")' for name, value in entries]
    (work / "found_before.cmake").write_text("\n".join(lines) + "\n")
    return work / "found_before.cmake"


def build_by_cmake(work, prefix, program, lists):
    work.mkdir()
    (work / "user.cpp").write_text(program)
    (work / "CMakeLists.txt").write_text(lists)
    run("cmake", "-C", found_before(work), "-S", work, "-B", work / "build", "-G", "Ninja",
        f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={prefix}",
        # The scan for modules keeps ccache from working.
        "-DCMAKE_CXX_SCAN_FOR_MODULES=OFF", f"-DCMAKE_CXX_FLAGS={' '.join(flags)}")
    run("cmake", "--build", work / "build")
    run(work / "build/user")


def build_by_pkg_config(work, prefix, package):
    pc = next(prefix.rglob(f"{package}.pc"))

    def found(what):
        return run("pkg-config", what, package,
                   env={**os.environ, "PKG_CONFIG_PATH": str(pc.parent)}).split()

    run(*launcher, compiler, *flags, "-c", work / "user.cpp", *found("--cflags"),
        "-o", work / "user.o", cwd=work)
    run(compiler, *flags, work / "user.o", *found("--libs"), f"-Wl,-rpath,{pc.parent.parent}",
        "-o", work / "by_pkg_config")
    run(work / "by_pkg_config")


def check_bridge(failures, folder, prefix):
    library = build / "lib/libgym_telemetry_otel.so"
    if not library.exists():
        return
    for name in exported_names(library):
        if not name.startswith("gym::telemetry::otel::"):
            failures.append(f"exported by the bridge: {name}")
    needed = run("readelf", "-d", build / "lib/libgym_telemetry.so")
    if "opentelemetry" in needed or "grpc" in needed:
        failures.append(f"the library needs more than its own: {needed}")
    build_by_cmake(folder / "bridge_user", prefix, BRIDGE_PROGRAM, BRIDGE_LISTS)
    build_by_pkg_config(folder / "bridge_user", prefix, "gym_telemetry_otel")


def main():
    names = exported_names(build / "lib/libgym_telemetry.so")
    if "--golden" in sys.argv:
        golden.write_text("\n".join(names) + "\n")
        return 0
    failures = []
    # Compilers differ in which copies of a constructor they emit: the list is g++'s.
    if flags or "clang" in compiler:
        names = golden.read_text().splitlines()
    wanted = golden.read_text().splitlines()
    failures += [f"exported, but not in the list: {n}" for n in sorted(set(names) - set(wanted))]
    failures += [f"in the list, but not exported: {n}" for n in sorted(set(wanted) - set(names))]

    with tempfile.TemporaryDirectory() as folder:
        # The programs are compiled anew only when they or the headers changed, wherever these lie.
        os.environ.update(CCACHE_BASEDIR=folder, CCACHE_NOHASHDIR="1",
                          CMAKE_CXX_COMPILER_LAUNCHER=";".join(launcher))
        prefix, work = pathlib.Path(folder) / "prefix", pathlib.Path(folder) / "user"
        run("cmake", "--install", build, "--prefix", prefix)
        build_by_cmake(work, prefix, PROGRAM, LISTS)
        check_bridge(failures, pathlib.Path(folder), prefix)
        build_by_pkg_config(work, prefix, "gym_telemetry")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd}\n{error.stdout}{error.stderr}")
