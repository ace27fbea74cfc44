"""Webhooks of the engagement platform: signatures and batches, from the exact bytes of a request."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NoReturn

SIGNATURE_HEADER = "X-SVC-OPS-Signature"
"""The header of the signature in the platform's documentation. A channel may name another one."""


def sign(secret: str, body: bytes) -> str:
    """Returns the signature of a body: the lower-case hexadecimal HMAC-SHA1 of its exact bytes."""
    return hmac.new(secret.encode(), body, hashlib.sha1).hexdigest()


def verify_signature(body: bytes, signature: str | None, secrets: Iterable[str]) -> bool:
    """Reports whether a signature matches a body under one of the secrets.

    Give the bytes of the request as they arrived: JSON that was read and written again has another
    signature. Several secrets are valid while one replaces another. The comparison takes the same
    time whatever the signature is.
    """
    given = (signature or "").strip(" \t")
    if re.fullmatch("[0-9A-Fa-f]{40}", given) is None:
        return False
    given_bytes = bytes.fromhex(given)
    matches = [
        hmac.compare_digest(hmac.new(secret.encode(), body, hashlib.sha1).digest(), given_bytes)
        for secret in secrets
    ]
    return any(matches)


@dataclass(frozen=True)
class Message:
    """One message of a batch."""

    index: int
    """The number of the message in the batch, from 1 on, as in `fail_list`."""
    push_id: str
    """The recipient; empty if the message has none, which is a fault of the message."""
    params: Mapping[str, Any]
    """What the operator entered. A value is a text, or a list of objects whose values are texts."""
    custom_params: Mapping[str, Any]
    """User properties that the platform added."""
    raw_receipt: bytes
    """The receipt, byte for byte; empty if there is none, which is a fault. Clicks report it unchanged."""


@dataclass(frozen=True)
class Batch:
    """The messages of one request."""

    request_ids: tuple[str, ...]
    """The ids of the batch, each once. One at most, unless the sender breaks the specification; none for
    journeys. A batch that is sent again has the same id."""
    messages: tuple[Message, ...]


def read_batch(body: bytes) -> Batch:
    """Reads the body of a request.

    Receipts are cut from the bytes, because writing their JSON again changes most of them. Numbers are
    read as their text. The last one of repeated members counts.

    Raises ValueError for a body that is not a JSON array in UTF-8.
    """
    text = body.decode("utf-8").removeprefix("\ufeff")
    try:
        elements = _Reader(text).read_array()
    except RecursionError:
        raise ValueError("the body is nested too deeply") from None
    ids = dict.fromkeys(_request_id(members) for members in elements)
    return Batch(
        request_ids=tuple(one for one in ids if one != ""),
        messages=tuple(_message(index, members) for index, members in enumerate(elements, 1)),
    )


def write_reply(faults: Mapping[int, str] | None = None) -> bytes:
    """Returns the body of a reply to a batch: success, but for the messages with these numbers."""
    fail_list = [{"index": index, "message": message} for index, message in sorted((faults or {}).items())]
    reply = {"return_code": 0, "return_message": "success", "data": {"fail_list": fail_list}}
    return _encode(reply)


def write_failure(message: str) -> bytes:
    """Returns the body of a reply that refuses a whole batch."""
    return _encode({"return_code": 1, "return_message": message})


def _encode(reply: Mapping[str, Any]) -> bytes:
    return json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode()


_Members = Mapping[str, tuple[Any, str]]
"""Values by name, each with its text. Empty for an element that is not an object."""


def _message(index: int, members: _Members) -> Message:
    push_id, _ = members.get("push_id", ("", ""))
    receipt, receipt_text = members.get("#ops_receipt_properties", (None, ""))
    return Message(
        index=index,
        push_id=push_id if isinstance(push_id, str) and _is_well_formed(push_id) else "",
        params=_object(members, "params"),
        custom_params=_object(members, "custom_params"),
        raw_receipt=receipt_text.encode() if isinstance(receipt, dict) else b"",
    )


def _object(members: _Members, name: str) -> Mapping[str, Any]:
    value, _ = members.get(name, ({}, ""))
    return value if isinstance(value, dict) else {}


def _request_id(members: _Members) -> str:
    receipt, _ = members.get("#ops_receipt_properties", (None, ""))
    found = receipt.get("ops_request_id") if isinstance(receipt, dict) else None
    return found if isinstance(found, str) else ""


def _is_well_formed(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"the body has {name}, which is not JSON")


_decoder = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse_constant)
_space = re.compile(r"[ \t\n\r]*")


class _Reader:
    """Reads an array of objects and keeps the text of each member."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def read_array(self) -> list[_Members]:
        if self._next() != "[":
            self._value()
            self._end()
            raise ValueError("the body must be an array of messages")
        self._at += 1
        elements: list[_Members] = []
        while not self._ends("]", is_first=not elements):
            elements.append(self._element())
        self._end()
        return elements

    def _element(self) -> _Members:
        if self._next() != "{":
            self._value()
            return {}
        self._at += 1
        members: dict[str, tuple[Any, str]] = {}
        is_first = True
        while not self._ends("}", is_first):
            is_first = False
            if self._next() != '"':
                raise self._fault()
            key, self._at = scanstring(self._text, self._at + 1, True)
            if self._next() != ":":
                raise self._fault()
            self._at += 1
            members[key] = self._value()
        return members

    def _value(self) -> tuple[Any, str]:
        self._next()
        start = self._at
        value, self._at = _decoder.raw_decode(self._text, start)
        return value, self._text[start : self._at]

    def _ends(self, end: str, is_first: bool) -> bool:
        """Reads the end of a list, or what stands before its next item."""
        found = self._next()
        if found == end:
            self._at += 1
            return True
        if is_first:
            return False
        if found != ",":
            raise self._fault()
        self._at += 1
        if self._next() == end:
            raise self._fault()
        return False

    def _next(self) -> str:
        """Skips spaces and returns the next character; empty at the end."""
        match = _space.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return self._text[self._at : self._at + 1]

    def _end(self) -> None:
        if self._next() != "":
            raise self._fault()

    def _fault(self) -> ValueError:
        return json.JSONDecodeError("the body is not JSON", self._text, self._at)
