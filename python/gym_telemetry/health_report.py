# SPDX-License-Identifier: Apache-2.0
"""The health report over saved rollouts."""

import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class HealthReport:
    """What NeMo Gym's two files hold, and a table for people."""

    #: quality_summary.json
    summary: dict[str, Any]
    #: rollout_verdicts.jsonl, one dict a rollout, in its order
    verdicts: list[dict[str, Any]]
    #: what ``gymtel health`` prints; its first sentence is what matters
    text: str
    #: where the files were written; None when they were not asked for
    summary_path: Path | None = None
    verdicts_path: Path | None = None

    def __str__(self) -> str:
        return self.text


def health(
    path: _PathLike | Iterable[_PathLike],
    *,
    ignored_checks: Iterable[str] = (),
    output_folder: _PathLike | None = None,
    workers: int | None = None,
) -> HealthReport:
    """Checks saved rollouts as ``gymtel health`` and NeMo Gym 0.7.0 do (docs/health.md).

    Writes NeMo Gym's two files into ``output_folder`` where one is given, and nothing otherwise.
    ``workers`` are threads, by default the cores, at most 8; the result does not depend on them.
    Raises FileNotFoundError or OSError for a file that cannot be read, ValueError for rows of which
    there can be no report, or for a check that does not exist.
    """
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    checks = [ignored_checks] if isinstance(ignored_checks, str) else list(ignored_checks)
    if not paths:
        raise ValueError("no files are named")
    if workers is not None and workers < 1:
        raise ValueError(f"workers must be positive, not {workers}")
    if output_folder is not None:
        return _report(paths, output_folder, checks, workers)
    with tempfile.TemporaryDirectory(prefix="gym-telemetry-health-") as folder:
        report = _report(paths, folder, checks, workers)
    kept = [line for line in report.text.splitlines(keepends=True) if folder not in line]
    return HealthReport(report.summary, report.verdicts, "".join(kept))


def _report(
    paths: list[_PathLike], folder: _PathLike, checks: list[str], workers: int | None
) -> HealthReport:
    from ._replay import health as run

    error, summary, summary_path, verdicts_path, text = run(paths, folder, checks, workers or 0)
    if error:
        for each in paths:
            os.stat(each)  # raises what the system says
        raise ValueError(error)
    with open(verdicts_path, encoding="utf-8", newline="\n") as lines:
        verdicts = [json.loads(line) for line in lines]
    return HealthReport(
        json.loads(summary), verdicts, text, Path(summary_path), Path(verdicts_path)
    )
