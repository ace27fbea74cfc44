import type { Property } from "./schema.ts";

/**
 * The plan of a query, as an engine takes it: no names that a caller chose but
 * properties of the registry, and values that are values, never text of a
 * query. An engine compiles it into its own language.
 *
 * No value (missing, null, empty text, empty list) is one thing, called null
 * here. An expression is null when one of its parts is. A predicate is true or
 * false, never null: whatever looks at null is false, but `isNull` and `not`.
 */
export type Expression =
  | { readonly kind: "property"; readonly property: Property }
  | { readonly kind: "builtin"; readonly name: Builtin }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  /** Always null: a property that nobody has reported. */
  | { readonly kind: "null" }
  /** An instant as a local time of the zone, in milliseconds as if it were UTC. */
  | { readonly kind: "local"; readonly of: Expression }
  /** The first moment of the day that holds a local time. */
  | { readonly kind: "startOfDay"; readonly of: Expression }
  /** Numbers or times; a division by zero is null. */
  | {
      readonly kind: "arithmetic";
      readonly operator: "+" | "-" | "*" | "/";
      readonly left: Expression;
      readonly right: Expression;
    }
  /** The text that a value (numbers: as JavaScript writes them) stands for; null for a value that is not listed. */
  | { readonly kind: "lookup"; readonly of: Expression; readonly texts: ReadonlyMap<string, string> }
  /** The first that is not null. */
  | { readonly kind: "first"; readonly of: readonly Expression[] }
  /** The text of the first branch that holds; null when none does. */
  | {
      readonly kind: "case";
      readonly branches: readonly { readonly when: Predicate; readonly text: string }[];
    }
  /** The value that a tag gave the user, text. */
  | { readonly kind: "tag"; readonly cluster: Cluster };

/** Columns that every event has; `event_time` and `server_time` are instants in ms, `user_…` are those of the user's own row. */
export type Builtin =
  | "event_name"
  | "event_time"
  | "server_time"
  | "user_id"
  | "account_id"
  | "distinct_id"
  | "user_account_id"
  | "user_distinct_id";

/** An imported list of users, in the version to be used: the latest of at most that day, or the latest of all. */
export interface Cluster {
  readonly name: string;
  /** `yyyy-MM-dd` */
  readonly day?: string;
}

export type Predicate =
  | { readonly kind: "always"; readonly value: boolean }
  | { readonly kind: "and" | "or"; readonly of: readonly Predicate[] }
  | { readonly kind: "not"; readonly of: Predicate }
  | { readonly kind: "isNull"; readonly of: Expression }
  /** Equals any of the values, which are of the expression's type. */
  | { readonly kind: "in"; readonly of: Expression; readonly values: readonly (string | number | boolean)[] }
  | {
      readonly kind: "compare";
      readonly operator: "<" | "<=" | ">" | ">=";
      readonly left: Expression;
      readonly right: Expression;
    }
  /** The text holds any of these texts. */
  | { readonly kind: "contains"; readonly of: Expression; readonly texts: readonly string[] }
  /** RE2 syntax, found anywhere in the text. */
  | { readonly kind: "matches"; readonly of: Expression; readonly pattern: string }
  /** Of a list: some element equals any of the values. */
  | {
      readonly kind: "hasElement";
      readonly of: Expression;
      readonly values: readonly (string | number | boolean)[];
    }
  /** Of a list: the element at the position, from 1, equals the value. */
  | {
      readonly kind: "elementAt";
      readonly of: Expression;
      readonly position: number;
      readonly value: string | number | boolean;
    }
  | { readonly kind: "inCluster"; readonly cluster: Cluster };

/** One column by whose values results are broken down. */
export type GroupKey =
  /** Each value. Lists: each different element of the event's list; members of one object group in several keys go element by element. */
  | { readonly kind: "values"; readonly of: Expression }
  /** Numbers or times: group i is what is below boundary i and not below the one before; the last is from the last boundary on. */
  | { readonly kind: "intervals"; readonly of: Expression; readonly boundaries: readonly number[] }
  /** True or false, never null. */
  | { readonly kind: "predicate"; readonly of: Predicate };

/** Null, a value, or of intervals the zero-based index of the interval. */
export type KeyValue = string | number | boolean | null;

export type Aggregate =
  /** Number of events. */
  | { readonly kind: "count" }
  /** Number of different values. `list`: whole lists; `set`: lists without order and repetition; `element`: elements of lists. */
  | { readonly kind: "distinct"; readonly of: Expression; readonly as: "value" | "list" | "set" | "element" }
  /** Number of values that are not null. */
  | { readonly kind: "values"; readonly of: Expression }
  | { readonly kind: "sum" | "min" | "max"; readonly of: Expression }
  /** Linear between neighbours; `fraction` from 0 to 1. */
  | { readonly kind: "quantile"; readonly of: Expression; readonly fraction: number };

/**
 * One number per group and bucket. Where there is nothing, counts are 0 and
 * the others null; a sum of no value is null too, so that the caller can tell.
 */
export interface Measure {
  /** Numbers of events; undefined stands for any event. An empty list matches none. */
  readonly events: readonly number[] | undefined;
  readonly where: Predicate;
  readonly aggregate: Aggregate;
}

/**
 * The buckets of a range, by local time: bucket i is [edges[i], edges[i + 1]),
 * in local milliseconds as if they were UTC, of events whose instant is in
 * [startMs, endMs).
 */
export interface Buckets {
  readonly startMs: number;
  readonly endMs: number;
  /** Ascending; one more than there are buckets. */
  readonly localEdges: readonly number[];
  /**
   * Where buckets overlap (each looks at a window of days): bucket i is
   * [windows[i][0], windows[i][1]) in local milliseconds, and `localEdges` is
   * not looked at.
   */
  readonly windows?: readonly (readonly [startMs: number, endMs: number])[];
}

/** From `fromMs` (an instant) on, local time is the instant plus this. The first starts at -Infinity. */
export interface ZoneStep {
  readonly fromMs: number;
  readonly offsetMs: number;
}

/** For whom a query runs: each project, and each asker of a project, gets a fair share of the engine. */
export interface Asker {
  readonly projectId: number;
  /** Such as the name of a token. Queries without one share as one asker. */
  readonly asker?: string | undefined;
}

/** Some measures over the same events, buckets and keys: one pass over the data where the engine can. */
export interface Scan extends Asker {
  readonly zone: readonly ZoneStep[];
  readonly buckets: Buckets;
  readonly keys: readonly GroupKey[];
  readonly measures: readonly Measure[];
  /** Whether each group's value over the whole range is needed too. With windows that is over the union of them. */
  readonly totals: boolean;
}

/** Groups in no order, each once, by the values of its keys. A group is there when any measure met an event of it. */
export interface ScanGroups {
  readonly keys: readonly (readonly KeyValue[])[];
  /** Per measure, per group, over the whole range; NaN for null. Empty unless the scan wants totals. */
  readonly totals: readonly Float64Array[];
}

/** The numbers of some groups: `values[measure][group * buckets + bucket]`, NaN for null; counts of nothing are 0. */
export interface ScanCells {
  readonly values: readonly Float64Array[];
}

/** What a scan found, held by the engine until disposed of. */
export interface ScanResult extends AsyncDisposable {
  readonly groups: ScanGroups;
  /** @param groups indexes into `groups.keys`; all when left out. Cells come in the same order. */
  cells(groups?: readonly number[]): Promise<ScanCells>;
}

/** Asks for the different users who did any of the measures' events in one bucket of one group. */
export interface UserScan {
  readonly scan: Scan;
  /** All buckets when left out. */
  readonly bucket?: number;
  /** One for each key. */
  readonly group: readonly KeyValue[];
  /** User properties to return; each known one when left out. */
  readonly properties?: readonly Property[];
  /** So many at most, those with the lowest ids; all when left out. */
  readonly limit?: number;
}

/** One user. Ids are never null in `userId`; the others may be. */
export interface StoredUser {
  readonly userId: bigint;
  readonly accountId: string | null;
  readonly distinctId: string | null;
  /** By property name: number, text, boolean; times as local `yyyy-MM-dd HH:mm:ss.SSS`; lists as arrays; objects as objects; no nulls. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** How the numbers of an expression are spread, over the events of a scan. */
export interface NumberSpread {
  /** Different values, counted up to 20. */
  readonly distinct: number;
  /** Undefined when there is no value. */
  readonly range: readonly [min: number, max: number] | undefined;
}
