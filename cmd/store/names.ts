import { exactCountOf } from "../../base/text/count.ts";
import type { EventStore, NameUses, PropertyTable, PropertyUse } from "../../store/events/events.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { unknownName } from "../terminal/unknown-name.ts";
import type { StoreOutput } from "./store.ts";

/** A name and the number of events or users that use it. */
interface NameRow {
  readonly project: number;
  readonly kind: Kind;
  readonly name: string;
  readonly type: string;
  readonly records: number;
}

const kinds = { event: "event", eventProperty: "property", userProperty: "user property" } as const;
type Kind = (typeof kinds)[keyof typeof kinds];

const columns: readonly Column<NameRow>[] = [
  { head: "PROJECT", of: ({ project }) => project },
  { head: "KIND", of: ({ kind }) => kind },
  { head: "NAME", of: ({ name }) => name },
  { head: "TYPE", of: ({ type }) => type },
  { head: "USED BY", of: ({ records }) => records },
];
/** Names to print before a deletion; the others are counted. */
const maxShown = 20;

/**
 * Prints the names of events and properties in the order of their first use, with the number of events or users that
 * use them.
 */
export async function printNames(
  store: EventStore,
  projectId: number | undefined,
  signal: AbortSignal,
  { stdout, json }: StoreOutput,
): Promise<void> {
  const { projects } = await store.stats();
  const wanted = projects.filter((one) => projectId === undefined || one.projectId === projectId);
  const rows: NameRow[] = [];
  for (const one of wanted) {
    for (const row of rowsOf(one.projectId, await store.nameUses(one.projectId, signal))) rows.push(row);
  }
  if (json) stdout.write(`${JSON.stringify({ names: rows })}\n`);
  else stdout.write(rows.length === 0 ? "no names yet\n" : formatTable(columns, rows));
}

export interface Forgetting {
  readonly projectId: number;
  /** Names in which `*` stands for any characters. */
  readonly events: readonly string[];
  readonly properties: readonly string[];
  readonly userProperties: readonly string[];
  /** Names that more events or users than this use are kept. */
  readonly maxUses: number;
  /** False only prints what would be deleted. */
  readonly isSure: boolean;
}

/**
 * Deletes names with all data stored under them, or prints what would be deleted.
 * @throws UserError for an unknown name
 */
export async function forgetNames(
  store: EventStore,
  forgetting: Forgetting,
  signal: AbortSignal,
  { stdout, json }: StoreOutput,
): Promise<void> {
  const { projectId, isSure } = forgetting;
  const uses = await store.nameUses(projectId, signal);
  const found = { events: eventsOf(uses, forgetting), properties: propertiesOf(uses, forgetting) };
  const rows = rowsOf(projectId, found);
  const records = found.events.reduce((sum, one) => sum + one.records, 0);
  if (isSure && rows.length > 0) {
    await store.removeNames({
      projectId,
      events: found.events.map(({ name }) => name),
      properties: found.properties.map(({ table, name }) => ({ table, name })),
    });
  }
  if (json) {
    stdout.write(`${JSON.stringify({ projectId, names: rows, events: records, removed: isSure })}\n`);
    return;
  }
  if (rows.length > 0) stdout.write(formatTable(columns, rows.slice(0, maxShown)));
  if (rows.length > maxShown) stdout.write(`and ${exactCountOf(rows.length - maxShown, "more name")}\n`);
  const what = `${exactCountOf(found.events.length, "name")} of events with ${exactCountOf(records, "event")}, ${found.properties.length} of properties`;
  stdout.write(isSure ? `deleted ${what}\n` : `would delete ${what}; add --yes to delete them\n`);
}

function rowsOf(project: number, { events, properties }: NameUses): readonly NameRow[] {
  return [
    ...events.map(({ name, records }) => ({ project, kind: kinds.event, name, type: "", records })),
    ...properties.map(({ table, name, type, records }) => {
      const kind = table === "event" ? kinds.eventProperty : kinds.userProperty;
      return { project, kind, name, type, records };
    }),
  ];
}

function eventsOf({ events }: NameUses, { events: wanted, maxUses }: Forgetting): NameUses["events"] {
  return match(events, wanted, kinds.event).filter(({ records }) => records <= maxUses);
}

/** Includes the members of objects, which are deleted with them. */
function propertiesOf({ properties }: NameUses, forgetting: Forgetting): readonly PropertyUse[] {
  const of = (table: PropertyTable, wanted: readonly string[], kind: Kind): readonly PropertyUse[] => {
    const own = properties.filter((one) => one.table === table);
    // Names of properties are stored in lower case.
    const matched = match(
      own,
      wanted.map((name) => name.toLowerCase()),
      kind,
    );
    const names = new Set(
      matched.filter(({ records }) => records <= forgetting.maxUses).map(({ name }) => name),
    );
    return own.filter(({ name }) => names.has(name) || names.has(name.split(".", 1)[0]!));
  };
  return [
    ...of("event", forgetting.properties, kinds.eventProperty),
    ...of("user", forgetting.userProperties, kinds.userProperty),
  ];
}

function match<T extends { readonly name: string }>(
  all: readonly T[],
  wanted: readonly string[],
  kind: Kind,
): T[] {
  const names = new Set(all.map(({ name }) => name));
  const exact = new Set(wanted.filter((name) => !name.includes("*")));
  for (const name of exact) if (!names.has(name)) throw unknownName(kind, name, [...names]);
  const patterns = wanted.filter((name) => name.includes("*")).map(patternOf);
  return all.filter(({ name }) => exact.has(name) || patterns.some((pattern) => pattern.test(name)));
}

/** Names hold letters, digits, `_`, `#` and `.` only. */
function patternOf(text: string): RegExp {
  const parts = text.split(/\*+/).map((part) => part.replace(/[^\w#]/g, (letter) => `\\${letter}`));
  return new RegExp(`^${parts.join(".*?")}$`);
}
