# SPDX-License-Identifier: Apache-2.0
import asyncio
import threading

import gym_telemetry
import pytest
from gym_telemetry import _native, sandbox


class Provider:
    """Creates sandboxes, and fails as told."""

    def __init__(self):
        self.fails_release = 0
        self.released = 0
        self.lock = threading.Lock()

    def create(self):
        return "handle"

    def release(self, handle):
        with self.lock:
            if self.fails_release:
                self.fails_release -= 1
                raise RuntimeError("busy")
            self.released += 1


def values(points):
    return {
        p["instrument"].removeprefix("gym.sandbox."): p.get("value", p.get("count"))
        for p in points
    }


def test_start_exec_release(telemetry):
    provider = Provider()
    with sandbox.held("fake", provider.create, provider.release) as box:
        assert box and box.exec(lambda handle: handle + "!") == "handle!"
        assert values(telemetry())["active"] == 1
    assert not box and provider.released == 1
    assert values(telemetry()) == {"active": 0, "startup_duration_ms": 1, "exec_duration_ms": 1}


def test_a_start_that_fails_counts_nothing(telemetry):
    def refuse():
        raise RuntimeError("no capacity")

    with pytest.raises(RuntimeError, match="no capacity"):
        sandbox.Sandbox("fake", refuse, lambda handle: None).start()
    assert telemetry() == []


def test_a_command_that_raises_records_nothing(telemetry):
    box = sandbox.Sandbox("fake", lambda: 1, lambda handle: None)
    box.start()
    with pytest.raises(ZeroDivisionError):
        box.exec(lambda handle: 1 / 0)
    assert "exec_duration_ms" not in values(telemetry())


def test_a_failed_release_stays_counted_until_one_succeeds(telemetry):
    provider = Provider()
    provider.fails_release = 1
    box = sandbox.Sandbox("fake", provider.create, provider.release)
    box.start()
    with pytest.raises(RuntimeError):
        box.release()
    assert values(telemetry())["active"] == 1
    box.release()
    box.release()
    assert values(telemetry())["active"] == 0 and provider.released == 1


def test_a_release_that_fails_for_good_is_subtracted_and_told(telemetry, complaints):
    provider = Provider()
    provider.fails_release = 1
    with pytest.raises(RuntimeError), sandbox.held("fake", provider.create, provider.release):
        pass
    assert values(telemetry())["active"] == 0
    assert any("'fake'" in text for text in complaints())


def test_the_body_s_error_wins_over_the_release_s(telemetry):
    provider = Provider()
    provider.fails_release = 1
    with pytest.raises(KeyError), sandbox.held("fake", provider.create, provider.release):
        raise KeyError
    assert values(telemetry())["active"] == 0


def test_a_start_after_a_release_counts_again(telemetry):
    provider = Provider()
    box = sandbox.Sandbox("fake", provider.create, provider.release)
    box.start()
    box.release()
    box.start()
    assert values(telemetry()) == {"active": 1, "startup_duration_ms": 2}


def test_release_before_a_start_does_nothing(telemetry):
    sandbox.Sandbox("fake", lambda: 1, lambda handle: 1 / 0).release()
    assert telemetry() == []


def test_a_connected_one_is_not_counted(telemetry):
    with sandbox.connected("fake", lambda: "h", lambda handle: None) as box:
        box.exec(lambda handle: None)
    assert values(telemetry()) == {"exec_duration_ms": 1}


def test_minus_one_has_no_gate(telemetry):
    box = sandbox.Sandbox("fake", lambda: 1, lambda handle: None)
    box.start()
    _native.set_gates_for_tests(1 << 63)
    box.release()
    assert values(telemetry())["active"] == 0


def test_group_off_records_nothing(telemetry):
    _native.set_gates_for_tests(1 << 63)
    with sandbox.held("fake", lambda: 1, lambda handle: None) as box:
        box.exec(lambda handle: None)
    sandbox.retried("fake")
    assert telemetry() == []


def test_a_sandbox_whose_handle_was_lost_is_told(telemetry, complaints):
    def create(box):
        box.made("sbx-1")
        raise TimeoutError

    with pytest.raises(TimeoutError):
        sandbox.Sandbox("fake", create, lambda handle: None).start()
    assert telemetry() == []
    assert any("'fake'" in text for text in complaints())


def test_two_threads_release_once_concurrent_safe(telemetry):
    provider = Provider()
    box = sandbox.Sandbox("fake", provider.create, provider.release)
    box.start()
    threads = [threading.Thread(target=box.release) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert provider.released == 1
    assert values(telemetry())["active"] == 0


async def test_coroutines_and_cancellation(telemetry):
    released = []

    async def create():
        return "handle"

    async def release(handle):
        await asyncio.sleep(0)
        released.append(handle)

    async with sandbox.held_async("fake", create, release) as box:
        assert await box.exec(lambda handle: asyncio.sleep(0, handle)) == "handle"
        await asyncio.gather(box.release(), box.release())
    assert released == ["handle"]
    assert values(telemetry()) == {"active": 0, "startup_duration_ms": 1, "exec_duration_ms": 1}

    async def hang():
        await asyncio.Event().wait()

    task = asyncio.create_task(sandbox.AsyncSandbox("other", hang, release).start())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert values(telemetry())["startup_duration_ms"] == 1


async def test_decorators_and_scopes(telemetry):
    @sandbox.timed_exec("fake")
    async def run():
        """Help."""
        return 1

    @sandbox.timed_start("fake")
    def start():
        return 2

    assert (await run(), start(), run.__doc__) == (1, 2, "Help.")
    with sandbox.timed_exec("fake"):
        pass
    with pytest.raises(ZeroDivisionError), sandbox.timed_exec("fake"):
        1 / 0  # noqa: B018
    sandbox.retried("fake")
    assert values(telemetry()) == {
        "startup_duration_ms": 1,
        "exec_duration_ms": 2,
        "create_retry_total": 1,
    }


def test_off_costs_no_state():
    assert not gym_telemetry.is_exporting()
    with sandbox.held("fake", lambda: 1, lambda handle: None) as box:
        assert box.exec(lambda handle: 2) == 2
