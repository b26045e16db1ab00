"""The OpenAPI document as a partner reads it, and answers held against it."""

import json
import re
from xml.etree import ElementTree

from django.test import Client
from jsonschema import Draft202012Validator

DOCUMENT = json.loads(Client().get("/service/api/v1/openapi.json").content)
FORMATS = Draft202012Validator.FORMAT_CHECKER
ERROR = "Error"


def resolve(node):
    """Return what a reference stands for, or the node itself."""
    while "$ref" in node:
        found = DOCUMENT
        for step in node["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        node = found
    return node


def operations():
    """Return the operations by method and path template."""
    return {
        (method.upper(), path): operation
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
    }


def find_operation(method, path):
    """Return what is said of a call; None if nothing is."""
    for (verb, template), operation in operations().items():
        if verb == method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path.rstrip("/")):
            return operation
    return None


def faults_of(schema, instance):
    """Return where the instance breaks the schema; a string names a component."""
    if isinstance(schema, str):
        schema = {"$ref": f"#/components/schemas/{schema}"}
    root = {**schema, "components": DOCUMENT["components"]}
    found = Draft202012Validator(root, format_checker=FORMATS).iter_errors(instance)
    return [f"{fault.json_path}: {fault.validator} {fault.validator_value}" for fault in found]


def faults_of_answer(response):
    """Return how an answer differs from what the document says of it."""
    request = response.wsgi_request
    if request.method == "HEAD":  # is a GET without its body
        return []
    operation = find_operation(request.method, request.path)
    if operation is None:
        return faults_of_error(response)
    if str(response.status_code) not in operation["responses"]:
        return [f"{response.status_code} is not declared"]
    declared = resolve(operation["responses"][str(response.status_code)])
    media_type = response["Content-Type"].partition(";")[0]
    if media_type not in declared["content"]:
        return [f"{media_type} is not declared"]
    faults = faults_of_headers(declared["headers"], response)
    if response.status_code < 400:
        return faults + faults_of(declared["content"][media_type]["schema"], response.json())
    names = [error["codeName"] for error in error_body(response)["errors"]]
    faults += [name for name in names if f"`{name}`" not in declared["description"]]
    return faults + faults_of_error(response)


def faults_of_headers(declared, response):
    required = {name for name, header in declared.items() if resolve(header).get("required")}
    faults = [f"no {name}" for name in required if not response.has_header(name)]
    for name in set(declared) & set(response.headers):
        schema = resolve(declared[name])["schema"]
        value = response[name]
        value = json.loads(value) if schema["type"] in {"integer", "boolean"} else value
        faults += [f"{name}: {fault}" for fault in faults_of(schema, value)]
    standard = {"Content-Type", "Content-Length", "Vary", "Allow"}
    policy = {"X-Frame-Options", "X-Content-Type-Options", "Referrer-Policy"}
    policy |= {"Cross-Origin-Opener-Policy", "Content-Security-Policy"}
    strangers = set(response.headers) - set(declared) - standard - policy
    return faults + [f"{name} is not declared" for name in sorted(strangers)]


def faults_of_error(response):
    return faults_of(ERROR, error_body(response))


def error_body(response):
    """Return the body of an error as JSON has it, whichever format it came in."""
    if response["Content-Type"].startswith("application/json"):
        return response.json()
    root = ElementTree.fromstring(response.content)
    assert root.tag == DOCUMENT["components"]["schemas"][ERROR]["xml"]["name"]
    item = DOCUMENT["components"]["schemas"]["ErrorItem"]["xml"]["name"]
    body = {child.tag: child.text for child in root if child.tag != item}
    errors = [{child.tag: child.text for child in error} for error in root.findall(item)]
    return {
        **body,
        "httpStatus": int(body["httpStatus"]),
        "errors": [{"field": None, **error, "code": int(error["code"])} for error in errors],
    }
