"""A model that does what a script says, over the APIs that agents speak.

It serves OpenAI's Responses and Chat Completions, Anthropic's Messages and Gemini's generateContent, each whole or streamed, on the
loopback interface. Which step of the script comes next is read from the conversation itself: as many steps are done as there are
results of tools in it. So it needs no memory, and whatever else an agent asks a model (a title, a summary) does not disturb it.

What the agent showed the model is kept: the tools that were offered, and every result as the model reads it.
"""

from __future__ import annotations

import ast
import json
import re
import struct
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Call:
    """The model calls a tool. The name is the server's own; agents put prefixes before it."""

    tool: str
    arguments: dict[str, Any]


@dataclass
class Seen:
    """What came back from a tool, as the model reads it."""

    text: str
    images: int = 0


@dataclass
class Request:
    """One request of the agent's, reduced to what a model would look at."""

    api: str
    tools: list[str]
    results: list[Seen]
    system: str
    body: dict[str, Any]
    arrived: float = 0.0
    answered: float = 0.0


@dataclass
class Model:
    """The script, and what was seen meanwhile."""

    steps: list[Call]
    last: str = "All done."
    requests: list[Request] = field(default_factory=list)
    """Of the conversation that follows the script, in order."""
    other: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Everything else that was asked."""
    unexpected: list[str] = field(default_factory=list)
    pick: Callable[[str, list[str]], str | None] | None = None
    search: Call | None = None
    """How the tools are looked for, where the agent does not offer them at once."""

    def name_of(self, tool: str, offered: list[str]) -> str | None:
        """The tool as this agent calls it."""
        if self.pick is not None and (picked := self.pick(tool, offered)) is not None:
            return picked
        ends = [name for name in offered if re.split(r"toolcrib(?:__|_|\.|-|/)", name)[-1] == tool and "toolcrib" in name]
        if ends:
            return ends[0]
        return tool if tool in offered else None

    def answer(self, request: Request) -> Call | str:
        """What the model says next."""
        if self.search is not None:
            request.results = request.results[1:]
        done = len(request.results)
        self.requests.append(request)
        if done >= len(self.steps):
            return self.last
        step = self.steps[done]
        name = self.name_of(step.tool, request.tools)
        if name is None:
            self.unexpected.append(f"{step.tool} was not offered: {request.tools}")
            return f"There is no tool {step.tool}."
        return Call(name, step.arguments)

    def results(self) -> list[Seen]:
        """All results that the model was shown."""
        return max((request.results for request in self.requests), key=len, default=[])

    def told(self, tools: list[str], results: list[Seen]) -> None:
        """What came back, where no model was asked and the caller tells it."""
        self.requests.append(Request("none", tools, results, "", {}))

    def waits(self) -> list[float]:
        """For how many seconds the model waited for the result of each call: from its call to the agent's next request."""
        pairs = zip(self.requests, self.requests[1:])
        return [next.arrived - call.answered for call, next in pairs if len(next.results) == len(call.results) + 1]


class Serving:
    """The model on a port of the loopback interface."""

    def __init__(self, model: Model):
        self.model = model
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                with outer.lock:
                    outer.model.other.append((self.path, {}))
                models = [{"id": "scripted", "object": "model", "name": "models/scripted", "display_name": "Scripted"}]
                self.json({"object": "list", "data": models, "models": models})

            do_HEAD = do_GET

            def do_POST(self) -> None:
                arrived = time.monotonic()
                length = int(self.headers.get("content-length") or 0)
                raw = self.rfile.read(length) if length else self.chunked()
                try:
                    body = json.loads(raw or b"{}")
                except ValueError:
                    body = {}
                with outer.lock:
                    before = len(outer.model.requests)
                    outer.respond(self, body)
                    for request in outer.model.requests[before:]:
                        request.arrived, request.answered = arrived, time.monotonic()

            def chunked(self) -> bytes:
                data = b""
                if self.headers.get("transfer-encoding", "").lower() == "chunked":
                    while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
                        data += self.rfile.read(size)
                        self.rfile.readline()
                    self.rfile.readline()
                return data

            def json(self, value: Any, status: int = 200) -> None:
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            def events(self, events: list[tuple[str | None, Any]]) -> None:
                text = ""
                for name, value in events:
                    data = value if isinstance(value, str) else json.dumps(value)
                    text += (f"event: {name}\n" if name else "") + f"data: {data}\n\n"
                data = text.encode()
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self) -> Serving:
        return self

    def __exit__(self, *_: Any) -> None:
        self.server.shutdown()
        self.server.server_close()

    def respond(self, handler: Any, body: dict[str, Any]) -> None:
        path = handler.path.split("?")[0]
        if path.endswith("/responses"):
            self.responses(handler, body)
        elif path.endswith("/chat/completions"):
            self.chat(handler, body)
        elif path.endswith("/messages"):
            self.messages(handler, body)
        elif "generatecontent" in path.lower():
            self.gemini(handler, body, "stream" in path)
        elif path.endswith("count_tokens"):
            handler.json({"input_tokens": 100})
        elif path.endswith(":countTokens"):
            handler.json({"totalTokens": 100})
        else:
            self.model.other.append((path, body))
            handler.json({})

    def decide(self, api: str, tools: list[str], results: list[Seen], system: str, body: dict[str, Any]) -> Call | str:
        """What to answer. A request that offers none of our tools, or no tools at all, is about something else."""
        request = Request(api, tools, results, system, body)
        search = self.model.search
        if search is not None and search.tool in tools and not results:
            return search
        ours = bool(tools) if self.model.pick is not None else any("toolcrib" in name.lower() for name in tools)
        if not ours and not results:
            self.model.other.append((api, body))
            return "A title"
        return self.model.answer(request)

    # OpenAI, Chat Completions

    def chat(self, handler: Any, body: dict[str, Any]) -> None:
        tools = [tool["function"]["name"] for tool in body.get("tools") or [] if "function" in tool]
        messages = body.get("messages") or []
        results = [seen_parts(message.get("content")) for message in messages if message.get("role") == "tool"]
        system = " ".join(seen_parts(m.get("content")).text for m in messages if m.get("role") in ("system", "developer"))
        answer = self.decide("chat", tools, results, system, body)
        message: dict[str, Any] = {"role": "assistant", "content": None if isinstance(answer, Call) else answer}
        if isinstance(answer, Call):
            function = {"name": answer.tool, "arguments": json.dumps(answer.arguments)}
            message["tool_calls"] = [{"id": f"call_{len(results)}", "type": "function", "index": 0, "function": function}]
        reason = "tool_calls" if isinstance(answer, Call) else "stop"
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        base = {"id": f"chat-{len(results)}", "created": 1, "model": "scripted"}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            handler.json({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
            return
        chunk = {**base, "object": "chat.completion.chunk"}
        events: list[tuple[str | None, Any]] = [
            (None, {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
            (None, {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
            (None, {**chunk, "choices": [], "usage": usage}),
            (None, "[DONE]"),
        ]
        handler.events(events)

    # OpenAI, Responses

    def responses(self, handler: Any, body: dict[str, Any]) -> None:
        tools: list[str] = []
        for tool in body.get("tools") or []:
            if tool.get("type") == "namespace":
                tools += [f"{tool['name']}__{inner['name']}" for inner in tool.get("tools", [])]
            elif "name" in tool:
                tools.append(tool["name"])
        results = []
        for item in body.get("input") or []:
            if isinstance(item, dict) and item.get("type") in ("function_call_output", "custom_tool_call_output"):
                results.append(seen_parts(item.get("output")))
        answer = self.decide("responses", tools, results, str(body.get("instructions") or ""), body)
        if isinstance(answer, Call):
            item = {
                "type": "function_call", "id": f"fc_{len(results)}", "call_id": f"call_{len(results)}",
                "name": answer.tool, "arguments": json.dumps(answer.arguments), "status": "completed",
            }  # fmt: skip
            for tool in body.get("tools") or []:
                if tool.get("type") == "namespace" and answer.tool.startswith(f"{tool['name']}__"):
                    item["namespace"], item["name"] = tool["name"], answer.tool[len(tool["name"]) + 2 :]
        else:
            part = {"type": "output_text", "text": answer, "annotations": []}
            item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
        usage = {
            "input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
            "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
        }  # fmt: skip
        whole = {"id": f"resp_{len(results)}", "object": "response", "created_at": 1, "model": "scripted", "status": "completed", "output": [item], "usage": usage}
        if not body.get("stream"):
            handler.json(whole)
            return
        handler.events(
            [
                ("response.created", {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}),
                ("response.output_item.added", {"type": "response.output_item.added", "output_index": 0, "item": item}),
                ("response.output_item.done", {"type": "response.output_item.done", "output_index": 0, "item": item}),
                ("response.completed", {"type": "response.completed", "response": whole}),
            ]
        )

    # Anthropic, Messages

    def messages(self, handler: Any, body: dict[str, Any]) -> None:
        tools = [tool["name"] for tool in body.get("tools") or [] if "name" in tool]
        results = []
        for message in body.get("messages") or []:
            for block in message["content"] if isinstance(message.get("content"), list) else []:
                if block.get("type") == "tool_result":
                    results.append(seen_parts(block.get("content")))
        answer = self.decide("messages", tools, results, seen_parts(body.get("system")).text, body)
        if isinstance(answer, Call):
            block = {"type": "tool_use", "id": f"toolu_{len(results)}", "name": answer.tool, "input": answer.arguments}
        else:
            block = {"type": "text", "text": answer}
        reason = "tool_use" if isinstance(answer, Call) else "end_turn"
        usage = {"input_tokens": 10, "output_tokens": 5}
        whole = {
            "id": f"msg_{len(results)}", "type": "message", "role": "assistant", "model": "scripted", "content": [block],
            "stop_reason": reason, "stop_sequence": None, "usage": usage,
        }  # fmt: skip
        if not body.get("stream"):
            handler.json(whole)
            return
        if isinstance(answer, Call):
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(answer.arguments)}
        else:
            start = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": answer}
        events = [
            {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": start},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 5}},
            {"type": "message_stop"},
        ]
        handler.events([(event["type"], event) for event in events])

    # Gemini

    def gemini(self, handler: Any, body: dict[str, Any], stream: bool) -> None:
        tools = [f["name"] for tool in body.get("tools") or [] for f in tool.get("functionDeclarations") or []]
        results = []
        for content in body.get("contents") or []:
            for part in content.get("parts") or []:
                if "functionResponse" in part:
                    results.append(seen_gemini(part["functionResponse"]))
                elif "inlineData" in part and results:
                    results[-1].images += 1
        system = seen_parts((body.get("systemInstruction") or {}).get("parts")).text
        answer = self.decide("gemini", tools, results, system, body)
        if isinstance(answer, Call):
            part: dict[str, Any] = {"functionCall": {"name": answer.tool, "args": answer.arguments}}
        else:
            part = {"text": answer}
        whole = {
            "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
            "modelVersion": "scripted",
        }
        if stream:
            handler.events([(None, whole)])
        else:
            handler.json(whole)


def seen_parts(content: Any) -> Seen:
    """Content in any of the forms that the APIs have, as text and a number of images."""
    if content is None:
        return Seen("")
    if isinstance(content, str):
        return Seen(content)
    if isinstance(content, dict):
        content = [content]
    seen = Seen("")
    for part in content:
        if isinstance(part, str):
            seen.text += part
        elif part.get("type") in ("image", "image_url", "input_image"):
            seen.images += 1
        elif "text" in part:
            seen.text += part["text"]
        elif "content" in part:
            inner = seen_parts(part["content"])
            seen.text += inner.text
            seen.images += inner.images
        else:
            seen.text += json.dumps(part)
    return seen


def unwrapped(text: str) -> str:
    """The text in a result that a client gives its model in the protocol's own form: as JSON, or as Python prints it."""
    try:
        value = json.loads(text)
    except ValueError:
        parts = re.findall(r"""TextContent\(.*?text=('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", text)
        return "".join(ast.literal_eval(part) for part in parts) if parts else text
    content = value.get("content") if isinstance(value, dict) else value
    return "".join(part.get("text", "") for part in content) if isinstance(content, list) else text


def seen_gemini(response: dict[str, Any]) -> Seen:
    """A result as Gemini gets it: an object, mostly with the text under `output`."""
    value = response.get("response")
    images = sum("inlineData" in part for part in response.get("parts") or [])
    if isinstance(value, dict) and len(value) == 1 and isinstance(next(iter(value.values())), str):
        return Seen(next(iter(value.values())), images)
    return Seen(json.dumps(value), images)


def png(width: int, height: int) -> bytes:
    """A picture of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + b"\x20\x80\xc0" * width for _ in range(height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
