import type { OracleCase } from "../oracle-cases.ts";

type Event = OracleCase["events"][number];
type Properties = Readonly<Record<string, unknown>>;

/** `when` is a day of May 2024, 01:00 UTC, or a full ISO time. */
export function event(name: string, user: string, when: number | string, p: Properties = {}): Event {
  const t = typeof when === "number" ? `2024-05-${String(when).padStart(2, "0")}T01:00:00Z` : when;
  return { e: name, u: user, t, p };
}

export const from = (first: number, last: number) => ({
  startTime: `2024-05-${String(first).padStart(2, "0")} 00:00:00`,
  endTime: `2024-05-${String(last).padStart(2, "0")} 23:59:59`,
});
export const days = (first: number, last: number) => ({ timeParticleSize: "day", ...from(first, last) });
export const total = (first: number, last: number) => ({ timeParticleSize: "total", ...from(first, last) });
export const starts = (first: number, last: number) =>
  Array.from(
    { length: last - first + 1 },
    (_, at) => `2024-05-${String(first + at).padStart(2, "0")} 00:00:00`,
  );
export const normal = (eventName: string, analysis: string, more: object = {}) => ({
  type: "normal",
  eventName,
  analysis,
  ...more,
});
export const formula = (customEvent: string, more: object = {}) => ({
  type: "customized",
  eventName: "f",
  customEvent,
  ...more,
});
export const by = (...columns: readonly (string | Properties)[]) => ({
  groupBy: columns.map((column) =>
    typeof column === "string"
      ? { columnName: column, tableType: "event" }
      : { tableType: "event", ...column },
  ),
});
export const where = (
  columnName: string,
  comparator: string,
  ftv: readonly unknown[] = [],
  more: object = {},
) => ({
  columnName,
  comparator,
  ftv,
  tableType: "event",
  ...more,
});
/** The rows of one metric: groups and values. */
type Rows = readonly (readonly [cols: readonly string[], ...values: (number | null)[]])[];
export const rows = (index: number, groups: Rows) => ({
  index,
  group_total: groups.length,
  groups: groups.map(([group_cols, ...values]) => ({ group_cols, values })),
});
export const one = (index: number, ...values: (number | null)[]) => rows(index, [[[], ...values]]);

export function analysis(
  id: string,
  says: string,
  events: readonly Event[],
  eventView: object,
  metrics: readonly object[],
  expected: OracleCase["expect"],
  more: object = {},
): OracleCase {
  const request = { projectId: 1, eventView, events: metrics, useCache: false, ...more };
  return {
    id,
    says,
    endpoint: "event-analyze",
    now: "2024-05-20T12:00:00Z",
    events,
    request,
    expect: expected,
  };
}

export function userList(
  id: string,
  says: string,
  events: readonly Event[],
  request: object,
  users: readonly string[],
): OracleCase {
  return {
    id,
    says,
    endpoint: "event-user-list",
    now: "2024-05-20T12:00:00Z",
    events,
    request: { projectId: 1, eventIndex: 0, sliceGroupVal: [], ...request },
    expect: { users },
  };
}

export const visits = [
  event("v", "a", 1),
  event("v", "a", 1),
  event("v", "b", 1),
  event("v", "a", 2),
  event("w", "c", 2),
];
export const values = (name: string, numbers: readonly unknown[]) =>
  numbers.map((n, at) => event("e", `u${at}`, 1, { [name]: n }));
