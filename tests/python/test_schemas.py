"""The tools as providers want them, held against the rules and types that the providers publish."""

import json
import re

import anthropic.types
import anthropic.types.beta
import jsonschema
import mcp.types
import openai.types.chat
import pytest
from conftest import DIALECTS
from google.genai import types as genai
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict, TypeAdapter, with_config

FORMATS = ["openai", "openai-strict", "anthropic", "mcp", "langchain"]
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# Longer ones are refused: "string too long. Expected a string with maximum length 1024".
OPENAI_DESCRIPTION_LENGTH = 1024

# https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
STRICT_KEYWORDS = {
    None: {"type", "description", "title", "enum", "const"},
    "string": {"pattern", "format"},
    "number": {"multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"},
    "integer": {"multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"},
    "array": {"items", "minItems", "maxItems"},
    "object": {"properties", "required", "additionalProperties"},
    "boolean": set(),
    "null": set(),
}
# https://ai.google.dev/api/caching#FunctionDeclaration
GEMINI_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
# Tools that Anthropic's models know: the definition names their type and has no schema.
KNOWN = {
    "text_editor_20250728": anthropic.types.ToolTextEditor20250728Param,
    "text_editor_20250124": anthropic.types.ToolTextEditor20250124Param,
    "memory_20250818": anthropic.types.beta.BetaMemoryTool20250818Param,
}


def is_known(tool: dict) -> bool:
    return tool.get("type") in KNOWN


# A tool's parameters may not have these at the top.
OPENAI_NOT_AT_THE_TOP = {"oneOf", "anyOf", "allOf", "enum", "not"}


@pytest.fixture(params=DIALECTS)
def dialect(request):
    return request.param


def parameters_of(format: str, tool: dict) -> dict:
    """The JSON schema of the parameters, wherever the format keeps it."""
    return {
        "openai": lambda: tool["function"]["parameters"],
        "openai-strict": lambda: tool["function"]["parameters"],
        "anthropic": lambda: tool["input_schema"],
        "mcp": lambda: tool["inputSchema"],
        "langchain": lambda: tool,
    }[format]()


def name_of(tool: dict) -> str:
    return tool.get("function", tool).get("name") or tool["title"]


def fits(value, published) -> None:
    """Holds a value against a published type, and refuses keys that the type does not have."""
    TypeAdapter(with_config(ConfigDict(extra="forbid"))(published)).validate_python(value, strict=True)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_has_the_same_tools(toolcrib, dialect, format):
    tools = toolcrib.schemas(format, dialect)
    assert tools
    assert [name_of(tool) for tool in tools] == [tool["name"] for tool in toolcrib.schemas("mcp", dialect)]
    for tool in tools:
        assert NAME.fullmatch(name_of(tool))
        assert is_known(tool) or tool.get("function", tool)["description"].strip()


@pytest.mark.parametrize("format", FORMATS)
def test_the_parameters_are_a_valid_schema_of_an_object(toolcrib, dialect, format):
    for tool in toolcrib.schemas(format, dialect):
        if is_known(tool):
            continue
        schema = parameters_of(format, tool)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert set(schema["required"]) <= set(schema["properties"])
        for name, parameter in schema["properties"].items():
            assert parameter.get("description"), f"{name} is not described"
            if "default" in parameter:
                jsonschema.validate(parameter["default"], parameter, jsonschema.Draft202012Validator)


def test_openai(toolcrib, dialect):
    for tool in toolcrib.schemas("openai", dialect):
        fits(tool, openai.types.chat.ChatCompletionFunctionToolParam)
        assert set(tool["function"]) == {"name", "description", "parameters"}
        assert len(tool["function"]["description"]) <= OPENAI_DESCRIPTION_LENGTH
        assert not OPENAI_NOT_AT_THE_TOP & set(tool["function"]["parameters"])


def test_openai_strict(toolcrib, dialect):
    for tool in toolcrib.schemas("openai-strict", dialect):
        fits(tool, openai.types.chat.ChatCompletionFunctionToolParam)
        assert set(tool["function"]) == {"name", "description", "parameters", "strict"}
        assert tool["function"]["strict"] is True
        assert len(tool["function"]["description"]) <= OPENAI_DESCRIPTION_LENGTH
        check_strict(tool["function"]["parameters"], tool["function"]["name"])


def check_strict(schema: dict, at: str) -> None:
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    supported = STRICT_KEYWORDS[None].union(*(STRICT_KEYWORDS[name] for name in types))
    assert set(schema) <= supported, f"{at}: not supported: {set(schema) - supported}"
    if "object" in types:
        assert schema["additionalProperties"] is False, at
        assert schema["required"] == list(schema["properties"]), f"{at}: every property is required"
        for name, part in schema["properties"].items():
            check_strict(part, f"{at}.{name}")
    if "array" in types:
        check_strict(schema["items"], f"{at}[]")
    if "enum" in schema and "null" in types:
        assert None in schema["enum"], f"{at}: null is allowed as a type and not as a value"


def test_what_may_be_left_out_may_be_null_in_the_strict_form(toolcrib, dialect):
    plain = toolcrib.schemas("openai", dialect)
    strict = toolcrib.schemas("openai-strict", dialect)
    for loose, tool in zip(plain, strict, strict=True):
        required = loose["function"]["parameters"]["required"]
        for name, parameter in tool["function"]["parameters"]["properties"].items():
            nullable = isinstance(parameter["type"], list) and "null" in parameter["type"]
            assert nullable == (name not in required), name


def test_anthropic(toolcrib, dialect):
    for tool in toolcrib.schemas("anthropic", dialect):
        if is_known(tool):
            fits(tool, KNOWN[tool["type"]])
            continue
        fits(tool, anthropic.types.ToolParam)
        assert set(tool) == {"name", "description", "input_schema"}
        assert not {"oneOf", "anyOf", "allOf"} & set(tool["input_schema"])


def test_mcp(toolcrib, dialect):
    for tool in toolcrib.schemas("mcp", dialect):
        model = mcp.types.Tool.model_validate(tool)
        assert model.model_dump(by_alias=True, exclude_none=True) == tool, "a key that the protocol does not have"
        assert model.title
        assert model.annotations.read_only_hint is not None
        # A tool with several commands has an answer for each, and no schema of them.
        if model.output_schema is not None:
            jsonschema.Draft202012Validator.check_schema(model.output_schema)
            assert model.output_schema["type"] == "object"


def test_gemini(toolcrib, dialect):
    """Gemini takes the schemas of MCP, and knows fewer keywords: its own converter refuses what it does not know."""
    for tool in toolcrib.schemas("mcp", dialect):
        assert GEMINI_NAME.fullmatch(tool["name"])
        schema = genai.Schema.from_json_schema(
            json_schema=genai.JSONSchema.model_validate(tool["inputSchema"]), api_option="GEMINI_API"
        )
        declared = genai.FunctionDeclaration(name=tool["name"], description=tool["description"], parameters=schema)
        assert set(declared.parameters.properties) == set(tool["inputSchema"]["properties"])
        assert set(declared.parameters.required or []) == set(tool["inputSchema"]["required"])


def test_langchain_takes_the_schema_as_it_is(toolcrib, dialect):
    for tool in toolcrib.schemas("langchain", dialect):
        converted = convert_to_openai_tool(tool)["function"]
        assert converted["name"] == tool["title"]
        assert converted["description"] == tool["description"]
        assert converted["parameters"]["properties"] == tool["properties"]
        assert converted["parameters"]["required"] == tool["required"]


def test_a_langchain_tool_made_of_the_schema_reads_a_file(toolcrib):
    (toolcrib.root / "a.txt").write_text("one\ntwo\n")
    (schema,) = [tool for tool in toolcrib.schemas("langchain") if tool["title"] == "Read"]

    def read(**arguments):
        return json.loads(toolcrib.call("Read", arguments, "--json").stdout)["output"]

    tool = StructuredTool.from_function(
        read, name=schema["title"], description=schema["description"], args_schema=schema
    )
    assert set(tool.args) >= {"file_path", "offset", "limit"}
    assert tool.invoke({"file_path": str(toolcrib.root / "a.txt"), "offset": 2}) == "     2\ttwo"
    assert convert_to_openai_tool(tool)["function"]["parameters"]["properties"] == schema["properties"]


# Whatever a schema allows, the tool takes: else the model is blamed for what it was told.
ALLOWED = [{}, {"offset": 1}, {"limit": 10000}, {"offset": 1.0, "limit": 1e3}]
ALLOWED_STRICT = [{"offset": None, "limit": None}, {"offset": 1, "limit": None}]


@pytest.mark.parametrize(
    "format, more",
    [("openai", more) for more in ALLOWED] + [("openai-strict", more) for more in ALLOWED_STRICT],
)
def test_what_the_schema_allows_is_accepted(toolcrib, format, more):
    (toolcrib.root / "a.txt").write_text("one\n")
    (tool,) = [tool for tool in toolcrib.schemas(format) if name_of(tool) == "Read"]
    left_out = {name: None for name in parameters_of(format, tool)["required"]}
    arguments = {**left_out, "file_path": str(toolcrib.root / "a.txt"), **more}
    jsonschema.validate(arguments, parameters_of(format, tool), jsonschema.Draft202012Validator)
    done = toolcrib.call("Read", arguments)
    assert (done.returncode, done.stderr) == (0, b"")


# Whatever a schema forbids beyond what a model may slip on, the tool refuses.
FORBIDDEN = [{"offset": 0}, {"limit": 10001}, {"limit": 0}, {"limit": 1.5}, {"limit": True}, {"file_path": ""}]


@pytest.mark.parametrize("more", FORBIDDEN)
def test_what_the_schema_forbids_is_refused(toolcrib, more):
    (toolcrib.root / "a.txt").write_text("one\n")
    arguments = {"file_path": str(toolcrib.root / "a.txt"), **more}
    (tool,) = [tool for tool in toolcrib.schemas("openai") if name_of(tool) == "Read"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(arguments, parameters_of("openai", tool), jsonschema.Draft202012Validator)
    assert toolcrib.call("Read", arguments).returncode == 1
