# SPDX-License-Identifier: Apache-2.0
"""Puts the drop-in's finder in place in a Python whose environment lacks gym-telemetry, such as a
gym server's own. The orchestrator puts this folder on PYTHONPATH. A sitecustomize that this one
hides is run after it."""

import os
import sys


def _load(name, file):
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location(name, file)
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _run_hidden(here):
    from importlib.machinery import PathFinder

    elsewhere = [path for path in sys.path if os.path.abspath(path or ".") != here]
    spec = PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is not None and spec.origin:
        _load("sitecustomize", spec.origin)


_here = os.path.dirname(os.path.abspath(__file__))
if os.environ.get("GYM_TELEMETRY", "").strip().lower() in ("1", "true", "yes", "on"):
    _root = os.path.dirname(os.path.dirname(_here))
    try:
        _load("_gym_telemetry_finder", os.path.join(_root, "_gym_telemetry_finder.py")).install()
    except OSError:  # the orchestrator's environment is gone; NeMo Gym keeps its own telemetry
        pass
_run_hidden(_here)
