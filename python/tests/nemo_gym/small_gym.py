# SPDX-License-Identifier: Apache-2.0
"""A gym in small, of NeMo Gym's own parts: its telemetry's setup, its sandbox API and a provider's own
retry loop, its HTTP client and connector. Only the cloud behind the provider is fake. Nothing here
knows of gym_telemetry, and there is no OpenTelemetry SDK."""

import asyncio
import importlib.util

from aiohttp import web
from nemo_gym import server_utils
from nemo_gym.sandbox.api import AsyncSandbox, SandboxSpec
from nemo_gym.sandbox.providers import SandboxExecResult, SandboxHandle
from nemo_gym.sandbox.providers.daytona.provider import DaytonaProvider
from nemo_gym.telemetry import setup

SANDBOXES, STOPPED, EXECS_EACH, RETRIES_EACH = 3, 2, 2, 1
REQUESTS = 4  # at once, over one connection: all but the first wait
DESTINATION = "policy_model"


class Provider(DaytonaProvider):
    """Daytona's, with its own retry loop. Each first attempt to create a sandbox fails."""

    def __init__(self):
        super().__init__(create={"retries": 2, "retry_delay_s": 0.01, "retry_max_delay_s": 0.01})
        self._attempts = 0

    async def _create_once(self, spec):
        self._attempts += 1
        if self._attempts % 2 == 1:
            raise ConnectionError("no capacity")
        return SandboxHandle(sandbox_id=str(self._attempts), provider_name=self.name, raw=None)

    async def exec(self, handle, command, **_):
        return SandboxExecResult(stdout=command, stderr=None, return_code=0)

    async def close(self, handle, **_):
        pass

    async def aclose(self):
        pass


async def use_sandboxes():
    for i in range(SANDBOXES):
        sandbox = AsyncSandbox(Provider(), SandboxSpec(image="image"))
        await sandbox.start()
        for _ in range(EXECS_EACH):
            await sandbox.exec("echo")
        if i < STOPPED:
            await sandbox.stop()


async def use_model_server():
    async def answer(_request):
        await asyncio.sleep(0.02)
        return web.Response(text="ok")

    app = web.Application()
    app.router.add_get("/work", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/work"

    limit = {"global_aiohttp_connector_limit": 1, "global_aiohttp_connector_limit_per_host": 1}
    client = server_utils.set_global_aiohttp_client(
        server_utils.GlobalAIOHTTPAsyncClientConfig(**limit)
    )

    async def ask():
        response = await server_utils.request("GET", url, _server_name=DESTINATION)
        assert await response.read() == b"ok"

    await asyncio.gather(*(ask() for _ in range(REQUESTS)))
    await client.close()
    server_utils._GLOBAL_AIOHTTP_CLIENT = None
    await runner.cleanup()


async def main():
    await use_sandboxes()
    await use_model_server()


for name in ("opentelemetry.sdk", "nemo.lens"):
    try:
        found = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        found = None
    assert found is None, f"{name} is installed"
assert setup.init_telemetry("math", "resources_servers") is not None, "telemetry did not start"
asyncio.run(main())
