"""The registry: a function becomes a tool by its name, signature and docstring."""

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, cast, get_type_hints

import orjson
from django.core.exceptions import ImproperlyConfigured
from pydantic import ValidationError

from mcp_server import json_schemas, schema, texts
from mcp_server.caller import Caller
from mcp_server.errors import invalid
from mcp_server.json_schemas import Schema
from mcp_server.limits import Limit
from mcp_server.schema import Delivery, FileResult, Params, Result
from mcp_server.scopes import Scope

Handler = TypeVar("Handler", bound=Callable[..., Result])
DELIVERY = "delivery"  # the parameter that each tool with a file has
LARGEST_INTEGER = 2**63 - 1
TOOLS: dict[str, "Tool"] = {}  # in the order of their modules and of their lines


@dataclass(frozen=True)
class Tool:
    """A tool: its listing for assistants, and its function."""

    name: str
    title: str
    description: str
    scope: Scope
    is_for_accountants: bool
    shows_account_numbers: bool  # in full, with the scope for them
    needs_account_numbers: bool
    writes: bool
    within: frozenset[Limit]
    page: str | None  # the URI of the UI resource that shows its answers
    function: Callable[..., Result] = field(repr=False)
    params: type[Params] = field(repr=False)
    result: type[Result] = field(repr=False)

    @property
    def scopes(self) -> list[Scope]:
        """Return the scopes that a token needs for the tool."""
        return [self.scope, *([Scope.ACCOUNT_NUMBERS] if self.needs_account_numbers else [])]

    @property
    def is_download(self) -> bool:
        """Return whether the answer is a file. Files have their own rate limit, no size limit."""
        return issubclass(self.result, FileResult)

    @cached_property
    def input_schema(self) -> Schema:
        return json_schemas.input_schema(self.params)

    @cached_property
    def output_schema(self) -> Schema:
        return json_schemas.output_schema(self.result)

    def answer(self, caller: Caller, arguments: dict[str, Any]) -> Result:
        """Validate the arguments and call the function.

        Raises: ToolError, and the exceptions of the function.
        """
        given = self.parse(arguments)
        if not self.is_download:
            return self.function(caller, **given)
        delivery = given.pop(DELIVERY)
        result = self.function(caller, **given)
        return cast("FileResult", result).deliver(delivery)

    def parse(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments as the function takes them. Raises: ToolError.

        An argument that is null counts as left out, a number without fraction as whole.
        """
        properties = self.input_schema["properties"]
        for name in arguments:
            if name not in properties:
                raise invalid(*self._unknown(name))
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            return vars(self.params.model_validate_json(self._json(given)))
        except ValidationError as exc:
            raise invalid(*self._fault(exc)) from None

    def _json(self, given: dict[str, Any]) -> bytes:
        """Return the arguments as JSON, which the model validates.

        Raises: ToolError for control characters, too large integers, and values JSON cannot hold.
        """
        for name, value in given.items():
            if isinstance(value, str) and not value.isprintable():
                raise invalid(name, "must be a text without control characters")
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
                raise invalid(name, f"must be {self._allowed(name)}")
            given[name] = value
        try:
            return orjson.dumps(given)
        except TypeError:  # half a character, or nesting without end
            raise invalid("arguments", "must be texts, numbers, true or false") from None

    def _fault(self, refusal: ValidationError) -> tuple[str, str]:
        """Return the name of the first invalid argument, and a text with its allowed values."""
        fault = refusal.errors(include_url=False, include_context=False, include_input=False)[0]
        name = str(fault["loc"][0])
        if fault["type"] != "missing":
            return name, f"must be {self._allowed(name)}"
        source = self.input_schema["properties"][name].get("description", "")
        return name, f"is required: {self._allowed(name)}" + (f". {source}" if source else "")

    def _unknown(self, name: str) -> tuple[str, str]:
        known = ", ".join(self.input_schema["properties"]) or "no arguments"
        return texts.cleaned(name[:64]), f"is not known; {self.name} takes {known}"

    def _allowed(self, name: str) -> str:
        return json_schemas.allowed(self.input_schema["properties"][name])


def tool(
    scope: Scope,
    *,
    title: str,
    is_for_accountants: bool = False,
    shows_account_numbers: bool = False,
    needs_account_numbers: bool = False,
    writes: bool = False,
    within: Collection[Limit] = (),
    page: str | None = None,
) -> Callable[[Handler], Handler]:
    """Register a function as a tool: a decorator.

    The function's name and docstring are the tool's name and description. Its parameters after the
    caller, and its return type, are made into the JSON schemas of arguments and result; a tool that
    returns a file has the parameter `delivery` besides, which the function does not see. `title` is
    shown to people; `scope` is the scope that the user must have granted. With `is_for_accountants`
    only accountants get the tool. With `shows_account_numbers` it shows full numbers to assistants
    with the scope for them, and is refused to these assistants if their user must have a second
    factor and lacks one; with `needs_account_numbers` it is refused without the scope. A tool that
    `writes`, a job for example, never reads from a replica. `within` are the limits of a connection
    that the answer keeps; under any other limit the tool is refused, but for BUSINESSES and
    NUMBERS, which each tool must keep. `page` is the URI of the UI resource that shows the answers.

    Raises: ImproperlyConfigured if another function has registered a tool of the same name.
    """

    def register(function: Handler) -> Handler:
        name = function.__name__
        _refuse_taken_name(function)
        hints = get_type_hints(function, include_extras=True)
        result = hints.pop("return")
        parameters = list(inspect.signature(function).parameters.values())[1:]  # after the caller
        fields = {
            parameter.name: (
                hints[parameter.name],
                ... if parameter.default is parameter.empty else parameter.default,
            )
            for parameter in parameters
        }
        if issubclass(result, FileResult):
            fields[DELIVERY] = (Delivery, "inline")
        TOOLS[name] = Tool(
            name=name,
            title=title,
            description=inspect.getdoc(function) or "",
            scope=scope,
            is_for_accountants=is_for_accountants,
            shows_account_numbers=shows_account_numbers,
            needs_account_numbers=needs_account_numbers,
            writes=writes,
            within=frozenset(within),
            page=page,
            function=function,
            params=schema.params_model(f"{name}_params", fields),
            result=result,
        )
        return function

    return register


def _refuse_taken_name(function: Callable[..., Result]) -> None:
    """Refuse a second tool of the same name, which would replace the first unnoticed.

    Raises: ImproperlyConfigured.
    """
    name = function.__name__
    if name in TOOLS:
        first = TOOLS[name].function.__module__
        raise ImproperlyConfigured(
            f"The tool {name} is registered twice, in {first} and in {function.__module__}. "
            "Rename one of the two functions."
        )


def offered(*, to_accountants: bool) -> list[Tool]:
    """Return the tools that are listed for owners or, with `to_accountants`, for accountants."""
    return [tool for tool in TOOLS.values() if to_accountants or not tool.is_for_accountants]
