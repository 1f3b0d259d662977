# SPDX-License-Identifier: Apache-2.0
from typing import Any

def replay(paths: list[Any], health: bool, /) -> tuple[list[dict[str, Any]], int, int, int, int, int]: ...
def health(
    paths: list[Any], output_folder: Any, ignored_checks: list[str], workers: int, /
) -> tuple[str, str, str, str, str]: ...
