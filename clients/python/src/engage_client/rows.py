"""Downloads as rows, for `csv.writer`, pandas and the like."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf import json_format

from engage_client.gen.engage.analysis.v1 import analysis_proxy_pb2, result_pb2

Cell = Any
"""A text, a number, or None for no value; a list or a dict for such a property."""


def event_rows(pieces: Iterable[analysis_proxy_pb2.DownloadEventsResponse]) -> Iterator[list[Cell]]:
    """Yields the rows of `DownloadEvents` while they arrive: the header, then one for each metric and group.

    They are those of the CSV with `header=names`, with numbers as numbers.
    """
    for piece in pieces:
        if piece.HasField("header"):
            header = piece.header
            yield [
                "metric",
                *(column.name for column in header.group_columns),
                *(bucket.label for bucket in header.x),
                *(f"compared.{bucket.label}" for bucket in header.x_compared),
            ]
        for entry in piece.rows.entries:
            yield [
                piece.rows.result_key,
                *(_label(value) for value in entry.group_cols),
                *(_number(number) for number in entry.values.numbers),
                *(_number(number) for number in entry.values_compared.numbers),
            ]


def user_rows(pieces: Iterable[analysis_proxy_pb2.DownloadEventUsersResponse]) -> Iterator[list[Cell]]:
    """Yields the rows of `DownloadEventUsers` while they arrive: the header, then one for each user."""
    for piece in pieces:
        if piece.HasField("header"):
            yield [column.name for column in piece.header.columns]
        for row in piece.rows.rows:
            yield [json_format.MessageToDict(value) for value in row.values]


def _label(value: result_pb2.GroupValue) -> str | None:
    return value.label if value.HasField("label") else None


def _number(number: float) -> int | float | None:
    if math.isnan(number):
        return None
    return int(number) if number.is_integer() else number
