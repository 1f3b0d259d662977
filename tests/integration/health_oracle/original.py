# SPDX-License-Identifier: Apache-2.0
"""NeMo Gym's own health report, without the 400 MB of packages that importing it asks for.

The report itself needs pydantic, openai and orjson. What else its modules import (ray, hydra, web
servers) is never called by it, so here any package that is not installed is an empty stand-in."""

import importlib.abc
import importlib.machinery
import importlib.metadata
import sys


class StandIn(type):
    """A class that can be called, subscripted, decorated with, inherited from and or-ed."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return make_stand_in(name)

    def __call__(cls, *arguments, **options):
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else cls

    def __getitem__(cls, key):
        return cls

    def __or__(cls, other):
        return other

    def __ror__(cls, other):
        return other


def make_stand_in(name):
    return StandIn(name, (), {})


class StandInFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked last, so only for what is not installed."""

    def find_spec(self, name, path, target=None):
        frame = sys._getframe(1)
        while frame and "importlib" in frame.f_code.co_filename:
            frame = frame.f_back
        # Other packages ask for what may be missing, and mean it.
        if not frame or frame.f_globals.get("__name__", "").split(".")[0] != "nemo_gym":
            return None
        if name.split(".")[0] in ("nemo_gym", "pydantic", "openai", "orjson"):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def exec_module(self, module):
        module.__getattr__ = lambda name: self.attribute(module, name)

    @staticmethod
    def attribute(module, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return make_stand_in(name)


def load():
    """The module nemo_gym.rollout_health."""
    if "nemo_gym.rollout_health" in sys.modules:
        return sys.modules["nemo_gym.rollout_health"]
    sys.meta_path.append(StandInFinder())
    found = importlib.metadata.version

    def version(name):
        try:
            return found(name)
        except importlib.metadata.PackageNotFoundError:
            return "0"

    importlib.metadata.version = version
    import nemo_gym.rollout_health
    return nemo_gym.rollout_health
