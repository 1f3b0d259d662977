# SPDX-License-Identifier: Apache-2.0
"""HTTPS on a free loopback port with connections that are kept: tls_server.py CERT KEY.

Prints its port, answers every request with "fine" and the number of the connection it came on, and
ends when its standard input does. openssl's own test server closes after each answer.
"""

import asyncio
import itertools
import ssl
import sys

numbers = itertools.count(1)


async def serve(reader, writer):
    body = b"fine %d" % next(numbers)
    answer = b"HTTP/1.1 200 x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    try:
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(answer)
            await writer.drain()
    except (asyncio.IncompleteReadError, OSError):
        pass
    finally:
        writer.close()


async def main(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main(*sys.argv[1:]))
