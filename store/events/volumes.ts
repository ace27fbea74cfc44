import type { Expression, KeyValue, QueryCaller, Scan } from "./scan.ts";
import type { ProjectSchema, PropertyTable } from "./schema.ts";

/** How much of what a project has, at one moment. */
export interface ProjectVolumes {
  readonly schema: ProjectSchema;
  /** The events by their numbers; those without events are left out. */
  readonly events: ReadonlyMap<number, EventVolume>;
  readonly users: UserVolume;
}

/** Values are those which are not null for a query. */
export interface EventVolume {
  /** The number of events. */
  readonly count: number;
  /** The times of the first and the last one, in ms since 1970. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** The numbers of events with an account id, and with a visitor id. */
  readonly accounts: number;
  readonly visitors: number;
  /** The number of events with a value by the number of the property, where there is one. */
  readonly values: ReadonlyMap<number, number>;
}

export interface UserVolume {
  /** The number of users. */
  readonly count: number;
  readonly accounts: number;
  readonly visitors: number;
  readonly values: ReadonlyMap<number, number>;
}

/** The most frequent values of an expression. */
export interface ValuesWanted extends QueryCaller {
  /** What has the values. */
  readonly table: PropertyTable;
  /** The expression; for users its values of events are null. */
  readonly of: Expression;
  readonly zone: Scan["zone"];
  /** The events that count: [startMs, endMs), and their numbers; undefined matches any. Users count all. */
  readonly startMs: number;
  readonly endMs: number;
  readonly events: readonly number[] | undefined;
  /** The beginning of texts; other values have none. Default: all values. */
  readonly prefix?: string;
  /** The last value of the page before. */
  readonly after?: CountedValue;
  readonly limit: number;
}

/** A value which is not null, and the number of events or users with it. */
export interface CountedValue {
  readonly value: NonNullable<KeyValue>;
  readonly count: number;
}

export interface TopValues {
  /** The most frequent first, then by value. */
  readonly values: readonly CountedValue[];
  /** The number of events or users, whatever their values begin with. */
  readonly count: number;
  /** The number of those with a value. */
  readonly withValue: number;
}

/** The volume of a project without data. */
export const noUsers: UserVolume = { count: 0, accounts: 0, visitors: 0, values: new Map() };

/**
 * The volumes of a part of the events, as numbers in a row, since a project has many parts: for each
 * event its number, `count`, `firstMs`, `lastMs`, `accounts`, `visitors`, the number of properties, and
 * for each of these its number and the number of events with a value.
 */
export type PackedVolumes = Float64Array;

/** A row of a part: an event with its numbers, and a number of values for each of some properties. */
export interface VolumeRow extends Omit<EventVolume, "values"> {
  readonly event: number;
  readonly values: readonly number[];
}

/** @param properties the numbers of the properties of `values` */
export function packVolumes(rows: readonly VolumeRow[], properties: readonly number[]): PackedVolumes {
  const packed: number[] = [];
  for (const { event, count, firstMs, lastMs, accounts, visitors, values } of rows) {
    packed.push(event, count, firstMs, lastMs, accounts, visitors, 0);
    const size = packed.length - 1;
    for (const [at, number] of properties.entries()) {
      if (values[at] === 0) continue;
      packed.push(number, values[at]!);
      packed[size]!++;
    }
  }
  return Float64Array.from(packed);
}

interface Sum {
  count: number;
  firstMs: number;
  lastMs: number;
  accounts: number;
  visitors: number;
  readonly values: Map<number, number>;
}

/** Adds the volumes of parts. */
export function addVolumes(parts: Iterable<PackedVolumes>): ReadonlyMap<number, EventVolume> {
  const sums = new Map<number, Sum>();
  for (const packed of parts) {
    for (let at = 0; at < packed.length; ) at = addRow(sums, packed, at);
  }
  return sums;
}

/** @returns the place after the row */
function addRow(sums: Map<number, Sum>, packed: PackedVolumes, at: number): number {
  const [event, count, firstMs, lastMs, accounts, visitors, size] = packed.subarray(
    at,
    at + 7,
  ) as unknown as [number, number, number, number, number, number, number];
  let sum = sums.get(event);
  if (sum === undefined) {
    sum = { count: 0, firstMs, lastMs, accounts: 0, visitors: 0, values: new Map() };
    sums.set(event, sum);
  }
  sum.count += count;
  sum.firstMs = Math.min(sum.firstMs, firstMs);
  sum.lastMs = Math.max(sum.lastMs, lastMs);
  sum.accounts += accounts;
  sum.visitors += visitors;
  const end = at + 7 + size * 2;
  for (let place = at + 7; place < end; place += 2) {
    const number = packed[place]!;
    sum.values.set(number, (sum.values.get(number) ?? 0) + packed[place + 1]!);
  }
  return end;
}

/** Packs a sum, to add further parts to it later. */
export function packSum(sum: ReadonlyMap<number, EventVolume>): PackedVolumes {
  const packed: number[] = [];
  for (const [event, { count, firstMs, lastMs, accounts, visitors, values }] of sum) {
    packed.push(event, count, firstMs, lastMs, accounts, visitors, values.size);
    for (const [number, with_] of values) packed.push(number, with_);
  }
  return Float64Array.from(packed);
}
