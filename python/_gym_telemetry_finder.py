# SPDX-License-Identifier: Apache-2.0
"""The import finder of gym-telemetry's drop-in for NeMo Gym.

gym_telemetry.pth puts a stub of a finder in place at the start of every Python process that has
GYM_TELEMETRY set, most of which never import nemo_gym: the stub loads this module, which imports
nothing new, when a module of nemo_gym.telemetry is asked for. The package itself is loaded when one of
the names below is.
"""

import os
import sys

PREFIX = "nemo_gym.telemetry."
NAMES = frozenset(PREFIX + name for name in ("gym_metrics", "setup", "_fallbacks", "metrics"))


class Finder:
    """Finds NeMo Gym's own telemetry modules as the other finders do, and has gym-telemetry take
    them over once they are loaded. Anything that fails leaves NeMo Gym's module as it is."""

    def __init__(self) -> None:
        self._inside: set[str] = set()

    def find_spec(self, name):
        if name not in NAMES or name in self._inside or not is_wanted():
            return None
        from importlib.util import find_spec

        self._inside.add(name)
        try:
            spec = find_spec(name)
        finally:
            self._inside.discard(name)
        if spec is not None and spec.loader is not None:
            spec.loader = Loader(spec.loader)
        return spec


class Loader:
    def __init__(self, original) -> None:
        self.original = original

    def __getattr__(self, name):
        return getattr(self.original, name)

    def create_module(self, spec):
        return self.original.create_module(spec)

    def exec_module(self, module) -> None:
        module.__loader__ = self.original
        try:
            take_over = _package().dropin.take_over
        except ImportError as error:
            _complain(error)
            self.original.exec_module(module)
            return
        take_over(module, self.original)


def _package():
    """The package, also where only this file's folder holds it: the environment of a gym server
    has its own packages, and ours reaches it by PYTHONPATH alone."""
    try:
        import gym_telemetry.dropin
    except ModuleNotFoundError:
        from importlib.util import module_from_spec, spec_from_file_location

        folder = __file__.rpartition("/")[0] + "/gym_telemetry"
        spec = spec_from_file_location(
            "gym_telemetry", folder + "/__init__.py", submodule_search_locations=[folder]
        )
        if spec is None or spec.loader is None:
            raise
        package = sys.modules["gym_telemetry"] = module_from_spec(spec)
        spec.loader.exec_module(package)
        import gym_telemetry.dropin
    return gym_telemetry


def _complain(error) -> None:
    import logging

    logging.getLogger("gym_telemetry").warning(
        "NeMo Gym's own telemetry stays in place: %s", error
    )


def is_wanted() -> bool:
    """GYM_TELEMETRY as booleans of the configuration are read."""
    return os.environ.get("GYM_TELEMETRY", "").strip().lower() in ("1", "true", "yes", "on")


FINDER = Finder()


class GymTelemetryFinder:
    """What stands in sys.meta_path, here as in the .pth file. Told by its name, since that one is
    a class of its own."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return FINDER.find_spec(name)


def is_ours(finder) -> bool:
    return type(finder).__name__ == "GymTelemetryFinder"


def install() -> None:
    """Puts the finder in front, once."""
    if not any(is_ours(finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, GymTelemetryFinder())
