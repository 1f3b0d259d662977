# SPDX-License-Identifier: Apache-2.0
"""Installs into an empty prefix, builds and runs a program against it by find_package and by
pkg-config, and holds the exported names to tests/contract/data/exported_names.txt.

`installed_test.py SOURCE BUILD COMPILER --golden` rewrites that list."""
import os
import pathlib
import re
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
LISTS = """cmake_minimum_required(VERSION 3.28)
project(user LANGUAGES CXX)
find_package(gym_telemetry CONFIG REQUIRED)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE gym_telemetry::gym_telemetry)
"""


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def exported_names(library):
    names = set()
    for line in run("nm", "-D", "--defined-only", "-C", library).splitlines():
        name = line.split(" ", 2)[2]
        # The two spellings of one function for constructors and destructors fall together.
        names.add(re.sub(r"\[abi:cxx11\]", "", name).split("@")[0])
    return sorted(names)


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
        prefix, work = pathlib.Path(folder) / "prefix", pathlib.Path(folder) / "user"
        run("cmake", "--install", build, "--prefix", prefix)
        work.mkdir()
        (work / "user.cpp").write_text(PROGRAM)
        (work / "CMakeLists.txt").write_text(LISTS)
        run("cmake", "-S", work, "-B", work / "build", "-G", "Ninja",
            f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_FLAGS={' '.join(flags)}")
        run("cmake", "--build", work / "build")
        run(work / "build/user")
        pc = next(prefix.rglob("gym_telemetry.pc"))
        found = run("pkg-config", "--cflags", "--libs", "gym_telemetry",
                    env={**os.environ, "PKG_CONFIG_PATH": str(pc.parent)}).split()
        run(compiler, *flags, work / "user.cpp", *found, f"-Wl,-rpath,{pc.parent.parent}",
            "-o", work / "by_pkg_config")
        run(work / "by_pkg_config")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd}\n{error.stdout}{error.stderr}")
