# SPDX-License-Identifier: Apache-2.0
from typing import Any

def replay(paths: list[Any], health: bool, /) -> tuple[list[dict[str, Any]], int, int, int, int, int]: ...
