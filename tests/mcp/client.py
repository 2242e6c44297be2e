#!/usr/bin/env python3
"""`assay mcp` driven by the official Python client (PyPI mcp), and its lines held against that package's models of the
published schemas.

usage: tests/mcp/client.py drive KERNEL   initialize or discover, list, call, progress, cancel, errors, in every mode
       tests/mcp/client.py schema         every line of a conversation in every protocol version
       tests/mcp/client.py six KERNEL     tools/list -> doctor -> bench -> result, counted
"""
import json
import os
import sys

import anyio
from mcp import Client, MCPError
from mcp.client import session
from mcp.client.stdio import StdioServerParameters
from mcp_types import methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, KNOWN_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
SERVER = StdioServerParameters(command="assay", args=["mcp"], env=dict(os.environ))


def structured(r):
    """Versions before 2025-06-18 have the text alone."""
    return r.structured_content or json.loads(r.content[0].text)


async def drive_mode(mode, kernel):
    told = []

    async def heard(progress, total, message):
        told.append((progress, message))

    async with Client(SERVER, mode=mode, cache=None) as c:
        tools = (await c.list_tools()).tools
        names = [t.name for t in tools]
        print(mode, c.protocol_version, len(names) == len(set(names)), {"doctor", "bench", "job"} <= set(names))
        r = await c.call_tool("status", {})
        print(" call", r.is_error, structured(r)["exit_status"], json.loads(r.content[0].text) == structured(r))
        r = await c.call_tool("bench", {"args": [kernel], "repeat": 5, "time_budget": 0.1, "warmup": 1, "wait_s": 50,
                                        "skip_integrity": True}, progress_callback=heard)
        times = [t for t, _ in told]
        print(" progress", len(times) > 0, times == sorted(set(times)), structured(r)["exit_status"])
        r = await c.call_tool("bench", {"args": [kernel], "gpu": 5000})
        print(" bad argument", r.is_error, structured(r)["error"]["text"])
        for name, call in (("no tool", c.call_tool("nope", {})), ("no prompt", c.get_prompt("nope", {})),
                           ("no resource", c.read_resource("assay://doc/nope"))):
            try:
                await call
                print(f" {name}: answered")
            except MCPError as e:
                print(f" {name}", e.error.code)
        with anyio.move_on_after(0.5):
            await c.call_tool("bench", {"args": [kernel], "time_budget": 30, "wait_s": 100})
        with anyio.fail_after(30):
            while [j for j in structured(await c.call_tool("jobs", {}))["jobs"] if j["state"] == "running"]:
                await anyio.sleep(0.05)
        print(" cancelled")
        resources = (await c.list_resources()).resources
        doc = next(r for r in resources if r.uri.endswith("cuda/optim.md"))
        text = (await c.read_resource(doc.uri)).contents[0].text
        prompts = (await c.list_prompts()).prompts
        got = await c.get_prompt("optimize_operator", {"file": "k.cu", "max_iterations": "3"})
        print(" rest", text.startswith("# CUDA"), len(prompts), "max_iterations: 3" in got.messages[0].content.text)


async def drive(kernel):
    newest = session.LATEST_HANDSHAKE_VERSION
    for version in HANDSHAKE_PROTOCOL_VERSIONS:
        session.LATEST_HANDSHAKE_VERSION = version  # what the client offers
        await drive_mode("legacy", kernel)
    session.LATEST_HANDSHAKE_VERSION = newest
    for mode in ("auto", *MODERN_PROTOCOL_VERSIONS):
        await drive_mode(mode, kernel)


async def six(kernel):
    n = 0
    async with Client(SERVER, cache=None) as c:
        n += 1
        tools = {t.name for t in (await c.list_tools()).tools}
        n += 1
        ready = (await c.call_tool("doctor", {"backend": "c"})).structured_content
        n += 1
        job = (await c.call_tool("bench", {"args": [kernel], "time_budget": 0.1})).structured_content["job"]
        n += 1
        done = (await c.call_tool("job", {"job": job, "wait_s": 50})).structured_content
    print(sorted(tools & {"doctor", "bench", "job"}), ready["exit_status"], done["exit_status"], done["result"]["verdict"]["word"])
    print("calls", n)


def checked(raw, module):
    """A server whose every line must be a result, an error or a notification of that module, which is made from the published
    schema."""
    models = {"result": module.JSONRPCResultResponse, "error": module.JSONRPCErrorResponse,
              "method": module.JSONRPCNotification}

    class Checked(raw.Server):
        def line(self, *args):
            message = super().line(*args)
            if message is not None:
                kind, = set(models) & set(message)
                models[kind].model_validate(message, strict=True)
            return message
    return Checked


def schema():
    """raw.py's server, one conversation a version; every line and every result goes through the model of that version."""
    sys.argv = [sys.argv[0]]
    import raw
    from mcp_types import _v2025_11_25, _v2026_07_28
    asks = [("tools/list", {}), ("tools/call", {"name": "jobs"}), ("tools/call", {"name": "status"}),
            ("tools/call", {"name": "doctor"}), ("tools/call", {"name": "bench", "arguments": {"args": ["/etc/x"]}}),
            ("resources/list", {}), ("resources/templates/list", {}), ("prompts/list", {}),
            ("resources/read", {"uri": "assay://doc/optimized-skill/reference/cuda/optim.md"}),
            ("prompts/get", {"name": "optimize_workload", "arguments": {"goal": "g", "workload": "w"}})]
    for version in KNOWN_PROTOCOL_VERSIONS:
        modern = version == KNOWN_PROTOCOL_VERSIONS[-1]
        s = checked(raw, _v2026_07_28 if modern else _v2025_11_25)(version=None if modern else version)
        n = 0
        if modern:
            asks_here = [("server/discover", {}), *asks]
        else:
            methods.validate_server_result("initialize", version, s.start["result"])
            asks_here = [("ping", {}), *asks]
        for method, params in asks_here:
            answer = s.call(method, params, modern)
            assert set(answer) == {"jsonrpc", "id", "result"}, answer
            methods.validate_server_result(method, version, answer["result"])
            n += 1
        number = s.send("tools/call", {"name": "profile", "arguments": {"tool": "nsys", "command": ["sleep", "3"], "wait_s": 3},
                                       "_meta": {"progressToken": 7}}, modern)
        s.wait(number)
        for note in s.notes:
            methods.parse_server_notification(note["method"], version, note["params"])
        for method, params in (("nope", {}), ("tools/call", {"name": "nope"}), ("resources/read", {"uri": "x:y"})):
            answer = s.call(method, params, modern)
            assert set(answer) == {"jsonrpc", "id", "error"} and isinstance(answer["error"]["code"], int), answer
            n += 1
        s.end()
        print(version, n, "lines valid")


if sys.argv[1] == "schema":
    schema()
else:
    anyio.run({"drive": drive, "six": six}[sys.argv[1]], *sys.argv[2:])
