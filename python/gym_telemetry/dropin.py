# SPDX-License-Identifier: Apache-2.0
"""Taking over NeMo Gym's own telemetry, without a change to it.

Its call sites hold the functions that they imported, so what counts is what the modules
``nemo_gym.telemetry.gym_metrics``, ``.setup``, ``._fallbacks`` and ``.metrics`` hold when they are
imported first: the finder (``_gym_telemetry_finder``) hands them here.
"""

import importlib
import importlib.util
import logging
import os
import sys
import threading
from types import ModuleType
from typing import Any

from . import _native, gym_metrics, handle, lifecycle

logger = logging.getLogger(__package__)

#: The environment variable that switches the drop-in on in every process it reaches.
VARIABLE = "GYM_TELEMETRY"
_PREFIX = "nemo_gym.telemetry."
_SERVERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_servers")


def install() -> None:
    """Makes NeMo Gym's telemetry record here, in this process and in those it starts. Call it
    before ``nemo_gym`` is imported; what was imported before is taken over too, but for functions
    that importers hold already."""
    os.environ[VARIABLE] = "1"
    _finder().install()
    for name in ("_fallbacks", "setup", "gym_metrics", "metrics"):
        module = sys.modules.get(_PREFIX + name)
        if module is not None and not installed(name):
            _TAKE_OVER[name](module)


def uninstall() -> None:
    """Takes the finder away again. Modules that were taken over stay so."""
    os.environ.pop(VARIABLE, None)
    sys.meta_path[:] = [f for f in sys.meta_path if not _finder().is_ours(f)]


def installed(name: str = "gym_metrics") -> bool:
    """Whether that module of ``nemo_gym.telemetry`` is taken over in this process."""
    module = sys.modules.get(_PREFIX + name)
    return module is gym_metrics or getattr(module, "__gym_telemetry__", False)


def _finder() -> Any:
    try:
        return importlib.import_module("_gym_telemetry_finder")
    except ModuleNotFoundError:  # the package was found by its folder alone
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        spec = importlib.util.spec_from_file_location(
            "_gym_telemetry_finder", os.path.join(folder, "_gym_telemetry_finder.py")
        )
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["_gym_telemetry_finder"] = module
        spec.loader.exec_module(module)
        return module


def take_over(module: ModuleType, original: Any) -> None:
    """Called instead of executing one of the modules."""
    name = module.__name__.removeprefix(_PREFIX)
    if name == "gym_metrics":
        _replace_gym_metrics(module, original)
        return
    original.exec_module(module)
    try:
        _TAKE_OVER[name](module)
    except Exception:
        # Another NeMo Gym than we know: its own telemetry stays.
        logger.warning("%s is not taken over", module.__name__, exc_info=True)


def _replace_gym_metrics(module: ModuleType, original: Any) -> None:
    ours = set(vars(gym_metrics))

    def load_original(name: str) -> Any:
        """A name that a later NeMo Gym has and we have not: its own module's."""
        if name.startswith("__") or name in ours:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        if not vars(module).get("__gym_telemetry_loaded__"):
            vars(module)["__gym_telemetry_loaded__"] = True
            original.exec_module(module)
        return getattr(module, name)

    gym_metrics.__getattr__ = load_original  # type: ignore[attr-defined]
    sys.modules[module.__name__] = gym_metrics


def _replace_loaded_gym_metrics(module: ModuleType) -> None:
    for name, value in vars(gym_metrics).items():
        if not name.startswith("__"):
            setattr(module, name, value)
    module.__gym_telemetry__ = True  # type: ignore[attr-defined]


def _take_over_fallbacks(module: Any) -> None:
    """The gate that call sites ask. Spans stay whoever's they are."""
    outer = module.is_span_group_enabled if module.NEMO_LENS_AVAILABLE else None
    _native.set_outer_gate(outer)
    module.is_span_group_enabled = _native.is_call_site_enabled
    module.__gym_telemetry__ = True


def _take_over_metrics(module: Any) -> None:
    """The five instruments without attributes go straight to the engine while ours is the handle in
    force; otherwise they go where they went."""

    def either(name: str) -> Any:
        ours, theirs = getattr(gym_metrics, name), getattr(module, name)

        def record(*args: Any, **kwargs: Any) -> None:
            return (ours if handle.get_telemetry() is handle.OWN else theirs)(*args, **kwargs)

        record.__name__ = record.__qualname__ = name
        record.__doc__ = theirs.__doc__
        record.__wrapped__ = theirs  # type: ignore[attr-defined]
        return record

    for name in ("record_rollout_duration", "record_verify", "record_active_servers"):
        setattr(module, name, either(name))
    module.__gym_telemetry__ = True


class _SetupModule(ModuleType):
    """Where tests and tools put a handle: the module's ``_TELEMETRY_HANDLE``."""

    @property
    def _TELEMETRY_HANDLE(self) -> Any:
        return handle.get_telemetry()

    @_TELEMETRY_HANDLE.setter
    def _TELEMETRY_HANDLE(self, value: Any) -> None:
        handle.set_handle(value)


def _lens_has_owner() -> bool:
    """Another library of this process set nemo-lens up: its providers are to be used."""
    return bool(getattr(sys.modules.get("nemo.lens.handle"), "_INITIALIZED", False))


class _Setup:
    """The life of the handle, behind the functions of ``nemo_gym.telemetry.setup``."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._lock = threading.Lock()
        self._theirs = {name: getattr(module, name) for name in _Setup.FUNCTIONS}

    FUNCTIONS = (
        "init_telemetry",
        "get_telemetry",
        "is_metrics_exporter_active",
        "shutdown_telemetry",
        "_reset_for_testing",
    )

    def init_telemetry(
        self,
        server_name: str | None = None,
        server_type: str | None = None,
        resource_attributes: dict[str, Any] | None = None,
    ) -> Any:
        """Initialise this process's telemetry. Call once per process; idempotent; never raises."""
        module = self._module
        with self._lock:
            if module._INITIALISED:
                return handle.get_telemetry()
            try:
                if _lens_has_owner():
                    return self._adopt_lens(server_name, server_type, resource_attributes)
                module._INITIALISED = True
                if not module.is_telemetry_env_enabled():
                    return None
                attributes = module._build_resource_attributes(server_name, server_type)
                attributes.update(resource_attributes or {})
                started = lifecycle.init(
                    server_name=server_name or "", resource_attributes=attributes
                )
            except Exception:
                logger.warning("telemetry setup failed; continuing without it", exc_info=True)
                return None
        logger.info("telemetry initialised (server=%s, on=%s)", server_name, started is not None)
        return started

    def _adopt_lens(self, *arguments: Any) -> Any:
        theirs = self._theirs["init_telemetry"](*arguments)
        value = vars(self._module).get("_TELEMETRY_HANDLE", theirs)
        handle.set_handle(value)
        return value

    def get_telemetry(self) -> Any:
        """Return this process's telemetry handle, or None if uninitialised or disabled."""
        return handle.get_telemetry()

    def is_metrics_exporter_active(self) -> bool:
        """Whether this process has an active metrics exporter for Gym to record into."""
        if handle.get_telemetry() is handle.OWN:
            return _native.metrics_enabled()
        return isinstance(handle.get_telemetry(), handle._Adopted) or bool(
            self._theirs["is_metrics_exporter_active"]()
        )

    def shutdown_telemetry(self, timeout_ms: int = 5000) -> None:
        """Flush and shut down this process's telemetry. Idempotent; never raises."""
        try:
            if handle.is_foreign():
                self._theirs["shutdown_telemetry"](timeout_ms)
            else:
                lifecycle.shutdown(timeout_ms)
        except Exception:
            logger.warning("error during telemetry shutdown", exc_info=True)

    def _reset_for_testing(self) -> None:
        """Drop the handle so a test can initialise again. Test-only."""
        self._theirs["_reset_for_testing"]()
        lifecycle.shutdown(0)
        handle.reset_handle()


def _take_over_setup(module: Any) -> None:
    setup = _Setup(module)
    vars(module).pop("_TELEMETRY_HANDLE", None)
    for name in _Setup.FUNCTIONS:
        setattr(module, name, getattr(setup, name))
    module.__class__ = _SetupModule
    module.__gym_telemetry__ = True
    _reach_servers()


def _reach_servers() -> None:
    """Gym servers run in environments of their own. What reaches all of them is PYTHONPATH."""
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if _SERVERS not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([_SERVERS, *paths])


_TAKE_OVER = {
    "gym_metrics": _replace_loaded_gym_metrics,
    "_fallbacks": _take_over_fallbacks,
    "metrics": _take_over_metrics,
    "setup": _take_over_setup,
}
