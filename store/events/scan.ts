import type { Trace } from "../../base/trace/trace.ts";
import type { Property } from "./schema.ts";

/**
 * The plan of a query in the form that an engine accepts: without names chosen by a caller, except
 * properties of the registry, and with values which are values, never text of a query. An engine
 * compiles it to its own language.
 *
 * Missing values (missing, null, empty text, empty list) are equal and called null here. An expression
 * is null when one of its parts is. A predicate is true or false, never null: a predicate on null is
 * false, except `isNull` and `not`.
 */
export type Expression =
  | { readonly kind: "property"; readonly property: Property }
  | { readonly kind: "builtin"; readonly name: Builtin }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  /** Always null: a property which has never been reported. */
  | { readonly kind: "null" }
  /** An instant as a local time of the zone, in milliseconds as if it were UTC. */
  | { readonly kind: "local"; readonly of: Expression }
  /** The first moment of the day which contains a local time. */
  | { readonly kind: "startOfDay"; readonly of: Expression }
  /** Numbers or times; a division by zero is null. */
  | {
      readonly kind: "arithmetic";
      readonly operator: "+" | "-" | "*" | "/";
      readonly left: Expression;
      readonly right: Expression;
    }
  /** The text for a value (numbers as JavaScript formats them); null for an unlisted value. */
  | { readonly kind: "lookup"; readonly of: Expression; readonly texts: ReadonlyMap<string, string> }
  /** The first value which is not null. */
  | { readonly kind: "first"; readonly of: readonly Expression[] }
  /** The text of the first branch whose predicate holds; null when none does. */
  | {
      readonly kind: "case";
      readonly branches: readonly { readonly when: Predicate; readonly text: string }[];
    }
  /** The value that a tag gives the user, as text. */
  | { readonly kind: "tag"; readonly cohort: Cohort };

/**
 * Columns of every event. `event_time` and `server_time` are instants in ms; `user_…` are columns of
 * the user's own row.
 */
export type Builtin =
  | "event_name"
  | "event_time"
  | "server_time"
  | "user_id"
  | "account_id"
  | "distinct_id"
  | "user_account_id"
  | "user_distinct_id";

/**
 * An imported list of users (a cohort or a tag) in one version: the latest version up to the day, or
 * the latest of all.
 */
export interface Cohort {
  readonly name: string;
  /** `yyyy-MM-dd` */
  readonly day?: string;
}

export type Predicate =
  | { readonly kind: "always"; readonly value: boolean }
  | { readonly kind: "and" | "or"; readonly of: readonly Predicate[] }
  | { readonly kind: "not"; readonly of: Predicate }
  | { readonly kind: "isNull"; readonly of: Expression }
  /** Equals one of the values, which are of the expression's type. */
  | { readonly kind: "in"; readonly of: Expression; readonly values: readonly (string | number | boolean)[] }
  | {
      readonly kind: "compare";
      readonly operator: "<" | "<=" | ">" | ">=";
      readonly left: Expression;
      readonly right: Expression;
    }
  /** The text contains one of these texts. */
  | { readonly kind: "contains"; readonly of: Expression; readonly texts: readonly string[] }
  /** Matches anywhere in the text; RE2 syntax. */
  | { readonly kind: "matches"; readonly of: Expression; readonly pattern: string }
  /** A list has an element which equals one of the values. */
  | {
      readonly kind: "hasElement";
      readonly of: Expression;
      readonly values: readonly (string | number | boolean)[];
    }
  /** The list's element at the 1-based position equals the value. */
  | {
      readonly kind: "elementAt";
      readonly of: Expression;
      readonly position: number;
      readonly value: string | number | boolean;
    }
  | { readonly kind: "inCohort"; readonly cohort: Cohort };

/** One column by whose values results are grouped. */
export type GroupKey =
  /**
   * One group per value. For lists: per distinct element of the event's list; members of one object
   * group in several keys go element by element.
   */
  | { readonly kind: "values"; readonly of: Expression }
  /**
   * Numbers or times: group i is below boundary i and not below the previous one; the last group starts
   * at the last boundary.
   */
  | { readonly kind: "intervals"; readonly of: Expression; readonly boundaries: readonly number[] }
  /** True or false, never null. */
  | { readonly kind: "predicate"; readonly of: Predicate };

/** Null, a value, or for intervals the 0-based index of the interval. */
export type KeyValue = string | number | boolean | null;

export type Aggregate =
  /** The number of events. */
  | { readonly kind: "count" }
  /**
   * The number of distinct values. `list`: whole lists; `set`: lists without order and duplicates;
   * `element`: elements of lists.
   */
  | { readonly kind: "distinct"; readonly of: Expression; readonly as: "value" | "list" | "set" | "element" }
  /** The number of values which are not null. */
  | { readonly kind: "values"; readonly of: Expression }
  | { readonly kind: "sum" | "min" | "max"; readonly of: Expression }
  /** Interpolated linearly between neighbours; `fraction` is from 0 to 1. */
  | { readonly kind: "quantile"; readonly of: Expression; readonly fraction: number };

/**
 * One number per group and bucket. Without values, counts are 0 and other numbers are null, sums
 * included, so that the caller can tell the difference.
 */
export interface Measure {
  /** The numbers of the events; undefined matches any event, an empty list none. */
  readonly events: readonly number[] | undefined;
  readonly where: Predicate;
  readonly aggregate: Aggregate;
}

/**
 * The buckets of a range, by local time: bucket i is [edges[i], edges[i + 1]), in local milliseconds as
 * if they were UTC, of events whose instant is in [startMs, endMs).
 */
export interface Buckets {
  readonly startMs: number;
  readonly endMs: number;
  /** Ascending; one more than there are buckets. */
  readonly localEdges: readonly number[];
  /**
   * For overlapping buckets (each covers a window of days): bucket i is [windows[i][0], windows[i][1])
   * in local milliseconds, and `localEdges` is ignored.
   */
  readonly windows?: readonly (readonly [startMs: number, endMs: number])[];
}

/** From the instant `fromMs` on, local time is the instant plus `offsetMs`. The first step starts at -Infinity. */
export interface ZoneStep {
  readonly fromMs: number;
  readonly offsetMs: number;
}

/**
 * The project and the client for which a query runs. Each project, and each caller of a project, gets a
 * fair share of the engine.
 */
export interface QueryCaller {
  readonly projectId: number;
  /** The client, such as the name of a token. Queries without one count as one caller. */
  readonly caller?: string | undefined;
  /** The trace to which the statements of the query belong. */
  readonly trace?: Trace | undefined;
}

/** Measures over the same events, buckets and keys, in one pass over the data where the engine can. */
export interface Scan extends QueryCaller {
  readonly zone: readonly ZoneStep[];
  readonly buckets: Buckets;
  readonly keys: readonly GroupKey[];
  readonly measures: readonly Measure[];
  /** Whether each group's value over the whole range is needed too; with windows, over their union. */
  readonly totals: boolean;
}

/** Groups in no order, each once, by the values of its keys. A group appears when a measure has an event in it. */
export interface ScanGroups {
  readonly keys: readonly (readonly KeyValue[])[];
  /** Per measure, per group, over the whole range; NaN for null. Empty unless the scan asks for totals. */
  readonly totals: readonly Float64Array[];
}

/**
 * The numbers of some groups: `values[measure][group * buckets + bucket]`, NaN for null; counts without
 * events are 0.
 */
export interface ScanCells {
  readonly values: readonly Float64Array[];
}

/** The result of a scan, which the engine keeps until it is disposed of. */
export interface ScanResult extends AsyncDisposable {
  readonly groups: ScanGroups;
  /** @param groups indexes into `groups.keys`; default: all. Cells are in the same order */
  cells(groups?: readonly number[]): Promise<ScanCells>;
}

/** The values of users to return. */
export interface UserValues {
  /** The ids beside `userId`; default: all. Others may be null. */
  readonly ids?: readonly ("account_id" | "distinct_id")[];
  /** Default: all known properties of users. */
  readonly properties?: readonly Property[];
}

/** Selects the distinct users with an event of the measures in one bucket of one group. */
export interface UserScan extends UserValues {
  readonly scan: Scan;
  /** Default: all buckets. */
  readonly bucket?: number;
  /** One value for each key. */
  readonly group: readonly KeyValue[];
  /** The maximum number of users, those with the lowest ids; default: all. */
  readonly limit?: number;
}

/** One user. `userId` is never null; the other ids may be. */
export interface StoredUser {
  readonly userId: bigint;
  readonly accountId: string | null;
  readonly distinctId: string | null;
  /**
   * By property name: number, text, boolean; times as local `yyyy-MM-dd HH:mm:ss.SSS`; lists as arrays;
   * objects as objects; no nulls.
   */
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * The summary of an expression's numbers over the events of a scan: their range and how many distinct ones there are.
 */
export interface NumberSummary {
  /** The number of distinct values, counted up to 20. */
  readonly distinct: number;
  /** Undefined when there is no value. */
  readonly range: readonly [min: number, max: number] | undefined;
}

/** Selects users by what is known of them, with or without events. */
export interface UserSelection extends QueryCaller, UserValues {
  /** A predicate on properties and ids of users, and on cohorts; values of events are null. */
  readonly where: Predicate;
}
