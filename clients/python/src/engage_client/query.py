"""Builds queries with the words of the REST form, such as `day`, `TRIG_USER_NUM` and `equal`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

from google.protobuf.struct_pb2 import NullValue

from engage_client.gen.engage.analysis.v1 import (
    analysis_proxy_pb2,
    column_pb2,
    event_metric_pb2,
    event_view_pb2,
    filter_pb2,
    query_pb2,
    result_pb2,
)
from engage_client.gen.engage.gateway.v1 import options_pb2

Value = str | int | float | bool


def words_of(enum: Any) -> dict[str, int]:
    """Returns the words of an enum of the contract with their numbers, such as `equal` of `Comparator`."""
    words = {value.GetOptions().Extensions[options_pb2.json_word]: value.number for value in enum.DESCRIPTOR.values}
    return {word: number for word, number in words.items() if word != ""}


def _number(field: str, enum: Any, word: str) -> Any:
    words = words_of(enum)
    if word in words:
        return words[word]
    near = difflib.get_close_matches(word, words, n=1)
    hint = f', the nearest is "{near[0]}"' if near else ""
    valid = ", ".join(f'"{one}"' for one in words)
    raise ValueError(f'{field} is "{word}"{hint}, valid are {valid}')


def where(
    column: str,
    comparator: str,
    *values: Value,
    table: str = "event",
    unit: str | None = None,
) -> filter_pb2.Filter:
    """Returns a condition: `where("level", "greater", 3, table="user")`.

    The comparators are in the reference of the query language. Times are `yyyy-MM-dd HH:mm:ss`.
    """
    return filter_pb2.Filter(
        column_name=column,
        table_type=_number("table", column_pb2.TableType, table),
        comparator=_number("comparator", filter_pb2.Comparator, comparator),
        ftv=[_text(value) for value in values],
        time_unit=None if unit is None else _number("unit", filter_pb2.TimeUnit, unit),
    )


def any_of(*filters: filter_pb2.Filter) -> filter_pb2.Filter:
    """Returns a condition that holds if one of these holds."""
    return _group("or", filters)


def all_of(*filters: filter_pb2.Filter) -> filter_pb2.Filter:
    """Returns a condition that holds if all of these hold."""
    return _group("and", filters)


def _group(relation: str, filters: Sequence[filter_pb2.Filter]) -> filter_pb2.Filter:
    return filter_pb2.Filter(
        filter_type=filter_pb2.FILTER_TYPE_COMPOUND,
        relation=_number("relation", filter_pb2.Relation, relation),
        filts=filters,
    )


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Query:
    """A query of events. Its methods change it and return it, so that they can be chained."""

    def __init__(self, project_id: int) -> None:
        self._project_id = project_id
        self._view = event_view_pb2.EventView(time_particle_size=event_view_pb2.TIME_PARTICLE_SIZE_DAY)
        self._metrics: list[event_metric_pb2.EventMetric] = []
        self._limit: int | None = None
        self._zone_offset: float | None = None

    def recent(self, days: str) -> Query:
        """Sets a relative range: `1-7` is the last seven days, `0-1` today, `W0` this week, `M1` the last month."""
        self._view.recent_day = days
        return self

    def between(self, start: str, end: str) -> Query:
        """Sets the range by its first and last second, `yyyy-MM-dd HH:mm:ss`, or by days."""
        self._view.start_time = start
        self._view.end_time = end
        return self

    def by(self, unit: str) -> Query:
        """Sets the width of a bucket: `day`, which is the default, `hour`, `week`, `total` and others."""
        self._view.time_particle_size = _number("unit", event_view_pb2.TimeParticleSize, unit)
        return self

    def metric(
        self,
        event: str,
        measure: str = "TOTAL_TIMES",
        of: str = "",
        *,
        percentile: int | None = None,
        filters: Iterable[filter_pb2.Filter] = (),
    ) -> Query:
        """Adds a metric of an event: `metric("pay", "SUM", of="amount")`. `anyEvent` is all events."""
        self._metrics.append(
            event_metric_pb2.EventMetric(
                type=event_metric_pb2.METRIC_TYPE_NORMAL,
                event_name=event,
                analysis=_number("measure", event_metric_pb2.Aggregation, measure),
                quota=of,
                analysis_params="" if percentile is None else str(percentile),
                filts=filters,
            )
        )
        return self

    def formula(self, name: str, formula: str, *, filters: Iterable[filter_pb2.Filter] = ()) -> Query:
        """Adds a metric that is computed from others: `formula("arpu", "pay.amount.SUM/login.TRIG_USER_NUM")`."""
        self._metrics.append(
            event_metric_pb2.EventMetric(
                type=event_metric_pb2.METRIC_TYPE_CUSTOMIZED,
                event_name=name,
                custom_event=formula,
                filts=filters,
            )
        )
        return self

    def group_by(self, column: str, *, table: str = "event", boundaries: Sequence[float] = ()) -> Query:
        """Groups by the values of a property, or by the intervals of a number between boundaries."""
        self._view.group_by.add(
            column_name=column,
            table_type=_number("table", column_pb2.TableType, table),
            property_range=",".join(str(one) for one in boundaries),
        )
        return self

    def where(
        self, column: str, comparator: str, *values: Value, table: str = "event", unit: str | None = None
    ) -> Query:
        """Adds a condition to all metrics. All conditions must hold."""
        return self.filter(where(column, comparator, *values, table=table, unit=unit))

    def filter(self, *filters: filter_pb2.Filter) -> Query:
        """Adds conditions to all metrics, such as `any_of(where(…), where(…))`."""
        self._view.filts.extend(filters)
        return self

    def compare(self, days: str) -> Query:
        """Also computes the metrics over a second range."""
        self._view.compared_by_time = True
        self._view.compared_recent_day = days
        return self

    def limit(self, groups: int) -> Query:
        """Limits the groups of each metric. Downloads have all groups."""
        self._limit = groups
        return self

    def zone(self, hours_east_of_utc: float) -> Query:
        """Sets the zone; without it, it is the project's."""
        self._zone_offset = hours_east_of_utc
        return self

    def request(self) -> analysis_proxy_pb2.AnalyzeEventsRequest:
        """Returns the request of `AnalyzeEvents`."""
        query = query_pb2.EventQuery(limit=self._limit, **self._shared())
        return analysis_proxy_pb2.AnalyzeEventsRequest(query=query)

    def download(self) -> analysis_proxy_pb2.DownloadEventsRequest:
        """Returns the request of `DownloadEvents`."""
        query = query_pb2.EventDownloadQuery(**self._shared())
        return analysis_proxy_pb2.DownloadEventsRequest(query=query)

    def users(
        self, metric: int = 0, *, group: Sequence[str | None] = (), bucket: str = ""
    ) -> analysis_proxy_pb2.ListEventUsersRequest:
        """Returns the request of `ListEventUsers`, for the users behind one number of the result.

        `metric` is the index of the metric, `group` has the labels of the group, with None for no value, and
        `bucket` is the label on the time axis, which a query by `total` has not.
        """
        query = query_pb2.EventUserQuery(**self._slice(metric, group, bucket))
        return analysis_proxy_pb2.ListEventUsersRequest(query=query)

    def download_users(
        self, columns: Sequence[str], metric: int = 0, *, group: Sequence[str | None] = (), bucket: str = ""
    ) -> analysis_proxy_pb2.DownloadEventUsersRequest:
        """Returns the request of `DownloadEventUsers`, with these columns of users."""
        query = query_pb2.EventUserDownloadQuery(selected_columns=columns, **self._slice(metric, group, bucket))
        return analysis_proxy_pb2.DownloadEventUsersRequest(query=query)

    def _shared(self) -> dict[str, Any]:
        return {
            "project_id": self._project_id,
            "event_view": self._view,
            "events": self._metrics,
            "zone_offset": self._zone_offset,
        }

    def _slice(self, metric: int, group: Sequence[str | None], bucket: str) -> dict[str, Any]:
        labels = [_label(one) for one in group]
        return {**self._shared(), "event_index": metric, "slice_group_val": labels, "slice_date": bucket}


def _label(label: str | None) -> result_pb2.GroupValue:
    if label is None:
        return result_pb2.GroupValue(null_value=NullValue.NULL_VALUE)
    return result_pb2.GroupValue(label=label)
