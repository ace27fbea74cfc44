import { type DecimalMark, guessMark, readNumber } from "./numbers.ts";
import { withPinyin } from "./pinyin.ts";
import { type DateOrder, guessOrder, isYearLast, readTime } from "./times.ts";

/** The first rows of a table. A row may be shorter than the header. */
export interface Sample {
  readonly fileName: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Where a value comes from: the column with this index, or a text that is the same for all rows. */
export type Source =
  | { readonly kind: "column"; readonly index: number }
  | { readonly kind: "text"; readonly text: string };

export const columnTypes = ["text", "number", "boolean", "time"] as const;
export type ColumnType = (typeof columnTypes)[number];

export interface PropertyColumn {
  readonly index: number;
  /** The name of the property; empty for a column that is left out. */
  readonly name: string;
  readonly type: ColumnType;
}

/** How rows of a table become records of events. */
export interface Mapping {
  readonly event: Source;
  /** The account id of the user. */
  readonly user: Source;
  /** The index of the column. */
  readonly time: number;
  readonly order: DateOrder;
  readonly mark: DecimalMark;
  /** All columns that are neither the event, the user nor the time. */
  readonly properties: readonly PropertyColumn[];
}

const timeName = /time|date|(^|[^a-z])(ts|at|when|day)$|日期|时间/i;
const userNames = [
  /user|account|player|customer|member|visitor|uid|e-?mail|用户|账号|玩家/i,
  /(^|[^a-z])id$/i,
];
const eventName = /event|action|activity|^type$|^name$|事件/i;
/** Columns with more different values than this hardly name events. */
const maxEvents = 50;

/** Proposes how a table becomes events, from the names of its columns and its first rows. */
export function guessMapping(sample: Sample): Mapping {
  const { header, fileName } = sample;
  const columns = header.map((title, index) => ({ title, index, values: valuesOf(sample, index) }));
  const isTime = ({ values }: (typeof columns)[number]) =>
    values.length > 0 && values.every((value) => isTimeInAnyOrder(value));
  const times = columns.filter(isTime);
  const time = (times.find(({ title }) => timeName.test(title)) ?? times[0] ?? columns[0])?.index ?? 0;
  const others = columns.filter(({ index }) => index !== time);
  const event = others.find(({ title, values }) => eventName.test(title) && isOfEvents(values));
  const free = others.filter(({ index }) => index !== event?.index);
  const user = userNames.flatMap((name) => free.find(({ title }) => name.test(title)) ?? [])[0];
  return withProperties(sample, {
    event: event === undefined ? { kind: "text", text: eventNameOf(fileName) } : columnOf(event.index),
    user: user === undefined ? { kind: "text", text: "imported" } : columnOf(user.index),
    time,
    order: guessOrder(valuesOf(sample, time)),
    mark: guessMark(others.map(({ values }) => values)),
    properties: [],
  });
}

const columnOf = (index: number): Source => ({ kind: "column", index });

/** Gives a mapping the properties of the columns that it uses for nothing else; those that it has stay as they are. */
export function withProperties(sample: Sample, mapping: Mapping): Mapping {
  const used = [mapping.event, mapping.user].flatMap((source) =>
    source.kind === "column" ? [source.index] : [],
  );
  const names = new Set<string>();
  const properties = sample.header.flatMap((title, index): PropertyColumn[] => {
    if (used.includes(index) || index === mapping.time) return [];
    const present = mapping.properties.find((one) => one.index === index);
    const name = present?.name ?? uniqueName(propertyNameOf(title, index), names);
    names.add(name.toLowerCase());
    return [present ?? { index, name, type: guessType(valuesOf(sample, index), mapping.mark) }];
  });
  return { ...mapping, properties };
}

function uniqueName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2, one = name; ; one = `${name.slice(0, 46)}_${number++}`) {
    if (!taken.has(one.toLowerCase())) return one;
  }
}

/** Returns the values of a column which are not empty. */
export function valuesOf({ rows }: Sample, index: number): readonly string[] {
  return rows.map((row) => row[index] ?? "").filter((value) => value !== "");
}

function isTimeInAnyOrder(value: string): boolean {
  return readTime(value, "monthFirst") !== undefined || readTime(value, "dayFirst") !== undefined;
}

function isOfEvents(values: readonly string[]): boolean {
  return values.length > 0 && new Set(values).size <= maxEvents && values.every((value) => isName(value));
}

export function guessType(values: readonly string[], mark: DecimalMark): ColumnType {
  if (values.length === 0) return "text";
  if (values.every((value) => readNumber(value, mark) !== undefined)) return "number";
  if (values.every((value) => /^(true|false)$/i.test(value))) return "boolean";
  return values.every(isTimeInAnyOrder) && !values.some(isYearLast) ? "time" : "text";
}

/** Returns the event to look at after an import: the only one, or the most frequent of the first rows. */
export function mainEvent(sample: Sample, { event }: Mapping): string {
  if (event.kind === "text") return event.text;
  const counts = new Map<string, number>();
  for (const name of valuesOf(sample, event.index)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? "";
}

/** Returns a value of the column of event names that names no event, so that its row would be refused. */
export function wrongEvent(sample: Sample, { event }: Mapping): string | undefined {
  if (event.kind === "text") return undefined;
  return valuesOf(sample, event.index).find((value) => !isName(value.trim()));
}

/** Reports whether events and properties may have this name. */
export function isName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]{0,49}$/.test(name);
}

/** Returns the name of a property for the title of a column. */
export function propertyNameOf(title: string, index: number): string {
  const words = withPinyin(title)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  const name = words.join("_").slice(0, 50);
  if (name === "") return `column_${index + 1}`;
  return /^\d/.test(name) ? `c_${name}`.slice(0, 50) : name;
}

/** Returns the name of an event for a file: `orders-2026.csv` has events `orders_2026`. */
export function eventNameOf(fileName: string): string {
  const name = propertyNameOf(fileName.replace(/\.[a-z0-9]+$/i, ""), 0);
  return name === "column_1" ? "imported" : name;
}

/** What is wrong with a mapping. */
export type MappingFault =
  | { readonly kind: "event"; readonly text: string }
  | { readonly kind: "user" }
  | { readonly kind: "property"; readonly name: string }
  | { readonly kind: "twice"; readonly name: string };

export function mappingFault({ event, user, properties }: Mapping): MappingFault | undefined {
  if (event.kind === "text" && !isName(event.text)) return { kind: "event", text: event.text };
  if (user.kind === "text" && user.text === "") return { kind: "user" };
  const names = properties.map(({ name }) => name).filter((name) => name !== "");
  const wrong = names.find((name) => !isName(name));
  if (wrong !== undefined) return { kind: "property", name: wrong };
  const lower = names.map((name) => name.toLowerCase());
  const twice = names.find((name, at) => lower.indexOf(name.toLowerCase()) < at);
  return twice === undefined ? undefined : { kind: "twice", name: twice };
}
