#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library's thread-local storage fits what a running process has to spare.

It is of the initial-exec model, for speed, so all of it must fit the little room that a process
keeps for libraries loaded later (a Python process has about 512 bytes): beyond that dlopen of a
plug-in fails with "cannot allocate memory in static TLS block".
"""
import pathlib
import subprocess
import sys

LIMIT_BYTES = 64


def main() -> int:
    build = pathlib.Path(sys.argv[2])
    library = build / "lib" / "libgym_telemetry.so"
    headers = subprocess.run(["readelf", "-lW", library], capture_output=True, text=True,
                             check=True).stdout
    # Type Offset VirtAddr PhysAddr FileSiz MemSiz Flg Align
    sizes = [int(line.split()[5], 16) for line in headers.splitlines()
             if line.split()[:1] == ["TLS"]]
    if len(sizes) != 1:
        print(f"{library}: {len(sizes)} segments of thread-local storage, expected 1")
        return 1
    if sizes[0] > LIMIT_BYTES:
        print(f"{library}: {sizes[0]} bytes of thread-local storage, at most {LIMIT_BYTES}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
