"""The web server with the tools, prompts and resources that the conformance suite calls by name.

The bank has no such answers: pictures, sound, embedded resources. The suite has no option for a
token, so a request without a token gets that of the environment.
"""

import os
import sys
from functools import wraps

import mcp_types as types
from mcp.shared.exceptions import MCPError

from config import web
from mcp_server import protocol

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "YPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
NOTHING = {"type": "object", "properties": {}}
PERSON = {  # a schema with what JSON Schema 2020-12 can say, to be listed as it is
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def text(words):
    return types.TextContent(text=words)


def image():
    return types.ImageContent(data=PIXEL, mime_type="image/png")


def resource(uri, mime_type, words):
    content = types.TextResourceContents(uri=uri, mime_type=mime_type, text=words)
    return types.EmbeddedResource(resource=content)


RESULTS = {  # by name, as the suite expects them
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [image()],
    "test_audio_content": [types.AudioContent(data=SILENCE, mime_type="audio/wav")],
    "test_embedded_resource": [
        resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        image(),
        resource("test://mixed-content-resource", "application/json", '{"test": "data"}'),
    ],
    "test_error_handling": [text("This tool intentionally returns an error for testing")],
    "test_missing_capability": [],
    "test_logging_tool": [text("It logs nothing.")],
    "test_streaming_elicitation": [text("It asks for nothing.")],
    "json_schema_2020_12_tool": [text("ok")],
}
FAILING = {"test_error_handling"}


def said(*contents):
    return [types.PromptMessage(role="user", content=content) for content in contents]


def prompt_messages(name, arguments):
    """Return the messages of a prompt of the suite, None for another one."""
    match name:
        case "test_simple_prompt":
            return said(text("This is a simple prompt for testing."))
        case "test_prompt_with_arguments":
            return said(
                text("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'".format(**arguments))
            )
        case "test_prompt_with_embedded_resource":
            words = "Embedded resource content for testing."
            return said(resource(arguments["resourceUri"], "text/plain", words), text("Read it."))
        case "test_prompt_with_image":
            return said(image(), text("Look at it."))
    return None


def resource_contents(uri):
    """Return the contents of a resource of the suite, None for another one."""
    match uri:
        case "test://static-text":
            return types.TextResourceContents(uri=uri, mime_type="text/plain", text="A text.")
        case "test://static-binary":
            return types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PIXEL)
        case "test://template/123/data":
            return types.TextResourceContents(uri=uri, mime_type="text/plain", text="Data of 123")
    return None


def with_fixtures(handle):
    """Return the protocol with the suite's tools beside the bank's."""

    @wraps(handle)
    def handle_either(method, version, params, **kwargs):
        own = answered(method, params)
        if own is not None:
            result = protocol._serialized(method, version, own)  # noqa: SLF001 - a frame like any other's
            return protocol._complete(result, version)  # noqa: SLF001 - as above
        result = handle(method, version, params, **kwargs)
        return {**result, "tools": [*listed(), *result["tools"]]} if "tools" in result else result

    return handle_either


def answered(method, params):
    """Return the answer to a request for something of the suite, None for another one."""
    match method:
        case "tools/call" if params.get("name") in RESULTS:
            return call(params["name"])
        case "prompts/get":
            messages = prompt_messages(params.get("name"), params.get("arguments"))
            return messages and types.GetPromptResult(messages=messages)
        case "resources/read":
            contents = resource_contents(params.get("uri"))
            return contents and types.ReadResourceResult(contents=[contents], **protocol.CACHED)
    return None


def call(name):
    if name == "test_missing_capability":
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "It needs sampling.", needed)
    return types.CallToolResult(content=RESULTS[name], is_error=name in FAILING)


def listed():
    for name in RESULTS:
        schema = PERSON if name.startswith("json_schema") else NOTHING
        yield {"name": name, "description": "A tool of the suite.", "inputSchema": schema}


def with_token(application):
    """Return the application, which lets in whoever has no token as the demo bank's owner."""

    def answer(environ, start_response):
        environ.setdefault("HTTP_AUTHORIZATION", f"Bearer {os.environ['TOKEN']}")
        return application(environ, start_response)

    return answer


protocol.handle = with_fixtures(protocol.handle)
web.application = with_token(web.application)

if __name__ == "__main__":
    web.serve(int(sys.argv[1]))
