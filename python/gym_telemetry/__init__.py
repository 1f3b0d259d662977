# SPDX-License-Identifier: Apache-2.0
"""Telemetry for reinforcement-learning gyms.

    import gym_telemetry
    from gym_telemetry.gym_metrics import record_sandbox_startup

    gym_telemetry.init(enabled=True, service_name="my-gym", span_groups="all")
    record_sandbox_startup(1250.0, provider="docker")

``gym_telemetry.install()``, or the variable ``GYM_TELEMETRY=1``, makes NeMo Gym's own telemetry
record here. Everything is loaded at first use.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import aiohttp, gym_metrics, sandbox, startup
    from .dropin import install, installed, uninstall
    from .handle import Telemetry, adopt, get_telemetry
    from .health_report import HealthReport, health
    from .lifecycle import (
        child_environment,
        collect,
        effective_settings,
        flush,
        init,
        is_exporting,
        is_span_group_enabled,
        metrics_enabled,
        shutdown,
    )
    from .replaying import replay

__all__ = [
    "HealthReport",
    "Telemetry",
    "adopt",
    "aiohttp",
    "child_environment",
    "collect",
    "effective_settings",
    "flush",
    "get_telemetry",
    "gym_metrics",
    "health",
    "init",
    "install",
    "installed",
    "is_exporting",
    "is_span_group_enabled",
    "metrics_enabled",
    "replay",
    "sandbox",
    "shutdown",
    "startup",
    "uninstall",
]

_MODULES = ("aiohttp", "gym_metrics", "sandbox", "startup")
_HOMES = {
    "install": "dropin",
    "installed": "dropin",
    "uninstall": "dropin",
    "Telemetry": "handle",
    "adopt": "handle",
    "get_telemetry": "handle",
    "HealthReport": "health_report",
    "health": "health_report",
    "replay": "replaying",
}


def __getattr__(name: str) -> object:
    if name not in __all__ and name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name == "__version__":
        return import_module("._native", __name__).version
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    value = getattr(import_module(f".{_HOMES.get(name, 'lifecycle')}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
