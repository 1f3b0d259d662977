# SPDX-License-Identifier: Apache-2.0
import asyncio
from contextlib import asynccontextmanager

import pytest

aiohttp = pytest.importorskip("aiohttp")
from aiohttp import web
from gym_telemetry import aiohttp as pool

QUEUE = "gym.http.connection_pool.queue_duration_ms"
CONNECT = "gym.http.connection_pool.connect_total"
OPENED = "gym.http.connection_pool.connect_duration_ms"
DESTINATION = "nemo.gym.http.destination.server.name"


@pytest.fixture(autouse=True)
def fresh_counts():
    pool._counts.begin_anew()


@asynccontextmanager
async def server(busy=None):
    async def answer(request):
        if busy is not None:
            await busy.wait()
        return web.Response(text="ok")

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/"
    finally:
        await runner.cleanup()


async def get(session, url, name=None, **settings):
    with pool.destination(name) if name else pool.destination(""):
        async with session.get(url, **settings) as response:
            return await response.text()


def points_of(telemetry, instrument):
    return [p for p in telemetry() if p["instrument"] == instrument]


async def until(condition):
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.001)


async def test_a_reused_connection_opens_none(telemetry):
    async with (
        server() as url,
        aiohttp.ClientSession(connector=pool.make_connector(limit=2)) as session,
    ):
        for _ in range(3):
            assert await get(session, url, "model") == "ok"
        await get(session, url)
    assert {p["attributes"][DESTINATION]: p["value"] for p in points_of(telemetry, CONNECT)} == {
        "model": 3,
        "external": 1,
    }
    (opened,) = points_of(telemetry, OPENED)
    assert opened["count"] == 1 and opened["attributes"][DESTINATION] == "model"
    assert points_of(telemetry, QUEUE) == []


@pytest.mark.parametrize(
    ("limits", "constraint"),
    [({"limit": 1}, "total"), ({"limit": 9, "limit_per_host": 1}, "per_host")],
)
async def test_a_wait_is_one_sample_with_the_binding_limit(limits, constraint, telemetry):
    busy = asyncio.Event()
    connector = pool.make_connector(**limits)
    async with server(busy) as url, aiohttp.ClientSession(connector=connector) as session:
        first = asyncio.create_task(get(session, url, "model"))
        await until(lambda: connector._acquired)
        second = asyncio.create_task(get(session, url, "model"))
        await until(lambda: connector._waiters)
        busy.set()
        await asyncio.gather(first, second)
    (waited,) = points_of(telemetry, QUEUE)
    assert waited["count"] == 1 and waited["sum"] > 0
    assert waited["attributes"] == {
        "nemo.gym.http.connection_pool.queue_constraint": constraint,
        "nemo.gym.http.connection_pool.queue_outcome": "ok",
        DESTINATION: "model",
    }


async def test_a_wait_that_is_cancelled_is_abandoned(telemetry):
    busy = asyncio.Event()
    connector = pool.make_connector(limit=1)
    async with server(busy) as url, aiohttp.ClientSession(connector=connector) as session:
        first = asyncio.create_task(get(session, url, "model"))
        await until(lambda: connector._acquired)
        second = asyncio.create_task(get(session, url, "model"))
        await until(lambda: connector._waiters)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        busy.set()
        await first
    (waited,) = points_of(telemetry, QUEUE)
    assert waited["attributes"]["nemo.gym.http.connection_pool.queue_outcome"] == "abandoned"


async def test_a_connection_that_is_refused_failed(telemetry):
    async with server() as url:
        pass
    async with aiohttp.ClientSession(connector=pool.make_connector()) as session:
        with pytest.raises(aiohttp.ClientConnectorError):
            await get(session, url, "gone")
    (opened,) = points_of(telemetry, OPENED)
    assert opened["attributes"]["nemo.gym.http.connection_pool.connect_outcome"] == "failed"
    (asked,) = points_of(telemetry, CONNECT)
    assert asked["value"] == 1


async def test_counts_outlive_their_connector(telemetry):
    async with server() as url:
        for _ in range(2):
            async with aiohttp.ClientSession(connector=pool.make_connector()) as session:
                await get(session, url, "model")
    (asked,) = points_of(telemetry, CONNECT)
    assert asked["value"] == 2


async def test_the_gate_is_asked_when_the_pool_is_made():
    connector = pool.make_connector(limit=3)
    assert type(connector) is aiohttp.TCPConnector
    await connector.close()


def test_the_destination_comes_back():
    with pool.destination("outer"):
        with pool.destination("inner"):
            assert pool.current_destination() == "inner"
        assert pool.current_destination() == "outer"
    assert pool.current_destination() == "external"


def test_the_overridden_methods_are_there():
    # Private to aiohttp: when they are renamed the instruments would fall silent.
    assert asyncio.iscoroutinefunction(aiohttp.TCPConnector._wait_for_available_connection)
    assert asyncio.iscoroutinefunction(aiohttp.TCPConnector._create_connection)
