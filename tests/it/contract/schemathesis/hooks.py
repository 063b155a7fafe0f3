"""What schemathesis cannot know: who may do what here, and which things there are to do it to.

Generated requests are sent as they are, but for three things. Each goes out with the credential of somebody who may do it. Parts of paths
that were generated as valid name something that is there, unless they came out of an earlier answer. And the first valid request of every
operation, and every seventh after it, is the one that the document itself gives as its example, about something made for it: so every operation
succeeds at least once, whatever was made up before.

VESTRY_WORLD names a file of JSON with the address of the server, the credentials, and the password of everyone.
"""

import collections
import hashlib
import itertools
import json
import os
import re
from urllib.parse import parse_qsl, quote, urlsplit

import httpx
import schemathesis
from schemathesis.generation.meta import TestPhase

with open(os.environ["VESTRY_WORLD"], encoding="utf-8") as file:
    WORLD = json.load(file)
CLIENT = httpx.Client(base_url=WORLD["server"], timeout=30)
TOKENS = WORLD["tokens"]
BY = {
    "a global administrator": "root",
    "a publisher of the tenant": "maria",
    "an agent": "agent",
    "a service": "service",
}
# Whoever is taken away here is missed by everything that follows.
KEPT = {
    "username": {"root", "maria", "pavel", "tom"},
    "service": {WORLD["service_id"].lower()},
}
# How many valid requests of an operation there were.
SENT = collections.Counter()
NUMBERS = itertools.count(1)
# Texts of answers: what a link carries from one answer to the next request is one of them.
SEEN = set()


def ask(method, path, who, expected, body=None, headers=None):
    """Asks for what a request needs, and takes no other answer."""
    headers = {"authorization": f"Bearer {TOKENS[who]}", **(headers or {})}
    answer = CLIENT.request(method, path, json=body, headers=headers)
    assert answer.status_code in expected, f"{method} {path}: {answer.status_code} {answer.text}"
    return answer.json() if answer.content else None


def login(username):
    body = {"username": username, "password": WORLD["password"]}
    answer = CLIENT.post("/v1/login", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def elevated(token):
    body = {"scope": "tenant:acme", "password": WORLD["password"], "reason": "a test"}
    answer = CLIENT.post("/v1/elevate", json=body, headers={"authorization": f"Bearer {token}"})
    assert answer.status_code == 200, answer.text
    return answer.json()["access_token"]


def content(text):
    files = [{"path": "scripts/run.sh", "text": "true\n"}]
    return {"description": f"Use when {text}.", "body": f"Do {text}.\n", "files": files}


def skill(scope="tenant:acme", who="maria"):
    """A skill of two revisions, and its digest."""
    name = f"made-{next(NUMBERS)}"
    path = f"/v1/skills/{scope}/{name}"
    ask("PUT", path, who, [201], content("one"), {"if-none-match": "*"})
    made = ask("PUT", path, who, [200], content(name), {"if-match": "*"})
    return name, made["digest"]


def role():
    name = f"made-{next(NUMBERS)}"
    ask("PUT", f"/v1/roles/tenant:acme/{name}", "maria", [201], content("a role"), {"if-none-match": "*"})
    return name


def proposal():
    body = {"scope": "tenant:acme", "name": f"made-{next(NUMBERS)}", "rationale": "A lesson.", **content("a lesson")}
    return ask("POST", "/v1/proposals", "agent", [201], body)


def offered():
    """An offer with the skill that has a file."""
    catalog = ask("POST", "/v1/catalog", "agent", [200], {"turn": f"made-{next(NUMBERS)}"})
    return catalog["offer"], catalog["entries"][0]["name"]


# What has to be there before a verb has something to do.
FIRST = {"enable": "disable", "release": "quarantine", "unseal": "seal"}


def prepare(label, case):
    """Makes what the example of an operation is about, and writes it into the request. Gives another credential where that is made too."""
    method, path = label.split(" ", 1)
    parts, body = case.path_parameters, case.body
    verb = path.rsplit("/", 1)[-1]
    if path.startswith("/.well-known/"):
        pass
    elif "{scope}/{name}" in path:
        parts["name"], _ = skill()
        if verb in FIRST:
            ask("POST", f"/v1/skills/tenant:acme/{parts['name']}/{FIRST[verb]}", "maria", [200], {"reason": "a test"})
    elif "skills/global" in path:
        parts["name"], _ = skill("global", "root")
    elif "{role}" in path:
        parts["role"] = role()
        if "skills" in (body if isinstance(body, dict) else {}):
            body["skills"] = [{"name": skill()[0], "mode": "triggered"}]
    elif "/v1/proposals/{id}" in path:
        made = proposal()
        parts["id"] = made["id"]
        if verb == "decision":
            body["digest"] = made["digest"]
    elif path == "/v1/proposals" and method == "POST":
        body["name"] = f"made-{next(NUMBERS)}"
    elif path == "/v1/recall":
        _, body["digest"] = skill()
    elif path in ("/v1/load", "/v1/load/file"):
        body["offer"], body["name"] = offered()
    elif path in ("/v1/catalog", "/v1/openings") and method == "POST":
        body["turn"] = f"made-{next(NUMBERS)}"
    elif path == "/v1/blobs/{sha256}":
        case.body = b"made %d" % next(NUMBERS)
        case.media_type = "application/octet-stream"
        parts["sha256"] = hashlib.sha256(case.body).hexdigest()
    elif "{username}" in path:
        ask("PUT", "/v1/tenants/acme/members/mia", "root", [200], {"role": "member"})
    elif path in ("/v1/services", "/v1/users", "/v1/tenants") and method == "POST":
        field = {"/v1/services": "name", "/v1/users": "username", "/v1/tenants": "id"}[path]
        body[field] = f"made-{next(NUMBERS)}"
    elif "{service}" in path:
        made = {"tenant": "acme", "name": f"made-{next(NUMBERS)}"}
        parts["service"] = ask("POST", "/v1/services", "root", [201], made)["id"]
    elif path == "/v1/keys/{id}":
        parts["id"] = ask("POST", "/v1/keys", "maria", [201], {"name": "script"})["id"]
    elif path == "/v1/login":
        body.update(username="pavel", password=WORLD["password"])
    elif path == "/v1/refresh":
        body["refresh_token"] = login("pavel")["refresh_token"]
    elif path == "/v1/logout":
        return login("pavel")["access_token"]
    elif path == "/v1/elevate":
        token = login("pavel")["access_token"]
        if method == "DELETE":
            return elevated(token)
        body["password"] = WORLD["password"]
        return token
    return None


def as_example(case, example):
    """Makes the request the one that the document gives as its example."""
    url = urlsplit(example["path"])
    pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(case.operation.path))
    case.path_parameters = re.fullmatch(pattern, url.path).groupdict()
    case.query = dict(parse_qsl(url.query))
    case.headers = dict(example["headers"])
    if example.get("body") is not None:
        case.body = json.loads(json.dumps(example["body"]))
        case.media_type = "application/json"


def pick(values, by):
    """One of the values, always the same one for the same generated value."""
    return values[hashlib.sha256(repr(by).encode()).digest()[0] % len(values)]


def name_something(case):
    """Puts what is there for parts of the path that nobody could guess."""
    parts = case.path_parameters
    changes = case.method.upper() != "GET"
    public = case.operation.path.startswith("/.well-known/")
    there = {
        "scope": ["tenant:acme"] * 3 + ["actor:tom", "global"],
        "role": ["support"],
        "revision": ["1", "2"],
        "tenant": ["acme"],
        "username": ["mia"],
        "code": ["malformed", "refused"],
        "service": ["svc_absent"],
        "archive": ["tools.zip", "refunds.zip"],
        "path": ["SKILL.md", "scripts/run.sh"],
        "id": WORLD["proposals"] if "proposals" in case.operation.path else ["key_absent"],
    }
    for part, value in list(parts.items()):
        if value in SEEN:
            continue
        if part == "name" and public:
            parts[part] = pick(["tools", "refunds"], value)
        elif part == "name":
            # What is changed is not what others read.
            parts[part] = skill()[0] if changes and pick([True, False], value) else "refunds"
            if changes and parts[part] == "refunds":
                parts[part] = f"made-{next(NUMBERS)}"
        elif part in there:
            parts[part] = pick(there[part], value)


def sender(case, example):
    """Somebody who may do it."""
    scope = (case.path_parameters or {}).get("scope")
    if scope in ("actor:tom", "global"):
        return "tom" if scope == "actor:tom" else "root"
    return BY.get(example["by"], "nobody")


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation
    raw = operation.definition.raw
    example = raw.get("x-example")
    is_valid = case.meta is not None and case.meta.generation.mode.is_positive
    token = None
    # Sessions are ended by those that were made for it.
    ends = raw.get("x-action") == "end-session"
    if is_valid:
        SENT[operation.label] += 1
        is_example = SENT[operation.label] % 7 == 1
        if is_example or ends:
            as_example(case, example)
            token = prepare(operation.label, case)
        else:
            name_something(case)
    for part, kept in KEPT.items():
        if str((case.path_parameters or {}).get(part, "")).lower() in kept:
            case.path_parameters[part] = "absent"
    if operation.path == "/v1/events":
        # A stream that ends.
        case.query = {**(case.query or {}), "wait": "0"}
    if raw.get("security") and (is_valid or not ends):
        token = token or TOKENS[sender(case, example)]
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {token}"}


@schemathesis.hook
def after_call(context, case, response):
    if case.operation.label.startswith("PUT /v1/tenants/{tenant}/settings") and response.status_code == 200:
        # Made-up settings would keep everything else from succeeding.
        ask("PUT", "/v1/tenants/acme/settings", "root", [200], WORLD["settings"])
    try:
        remember(json.loads(response.content))
    except ValueError:
        pass


def remember(value):
    """Keeps the short texts of an answer."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            remember(inner)
    elif isinstance(value, str) and len(value) <= 80 and quote(value, safe=":") == value:
        SEEN.add(value)
