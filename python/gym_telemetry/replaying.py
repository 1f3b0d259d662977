# SPDX-License-Identifier: Apache-2.0
"""Rollout files as points."""

import os
import threading
from collections.abc import Iterable
from typing import Any

_one_at_a_time = threading.Lock()


class Points(list):
    """The points of a replay, one dict each: instrument, kind, unit, attributes and value, or
    count, sum, bounds, bucket_counts. ``pandas.DataFrame(points.flat())`` is a table of them."""

    rows: int
    rows_rejected: int
    files: int

    def flat(self) -> list[dict[str, Any]]:
        """One level: each attribute is a column under the last part of its key."""
        rows = []
        for point in self:
            row = {k: v for k, v in point.items() if k != "attributes"}
            row.update({_column(k): v for k, v in point["attributes"].items()})
            rows.append(row)
        return rows


def _column(key: str) -> str:
    return key.removeprefix("nemo.gym.").removeprefix("rollout.").replace(".", "_")


def replay(
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, health: bool = True
) -> Points:
    """Plays rollout files through the recorders and returns the points, as ``gymtel replay`` does
    (docs/replay.md): a failures file beside a run is read with it, gzip is recognised, lines that
    are refused are told on standard error. The telemetry of this process neither sees nor feels
    it. Raises FileNotFoundError or OSError when no file could be read at all."""
    from ._replay import replay as play

    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    with _one_at_a_time:
        points, rows, rejected, files, refused, _ = play(paths, health)
    if files == 0 and refused > 0:
        for each in paths:
            os.stat(each)  # raises what the system says
        raise OSError(f"no rollouts could be read from {', '.join(map(str, paths))}")
    found = Points(p for p in points if not p["instrument"].startswith("gym.telemetry."))
    found.rows, found.rows_rejected, found.files = rows, rejected, files
    return found
