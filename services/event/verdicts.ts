import type { EventStore, ProjectSchema, Property } from "../../store/events/events.ts";
import type { Project } from "./projects.ts";
import { checkRecord } from "./record/check-record.ts";
import { NameBook, type NameRates } from "./record/name-book.ts";
import type { CheckedRecord, DropReason } from "./record/record.ts";
import { createTypeTable, type TypeTable } from "./record/type-table.ts";

/** Checks one record after the other. */
export interface Verdicts {
  /**
   * May fix types for the records that follow.
   * @param steadyMs see SpoolLine
   */
  readonly check: (json: unknown, receivedMs: number, appid?: string, steadyMs?: number) => CheckedRecord;
  /** What records so far have made, and the store has not. */
  readonly made: () => readonly Property[];
  /** The same of names of events, and how fast names came. */
  readonly names: () => MadeNames;
}

export interface MadeNames {
  readonly events: readonly string[];
  readonly rates: NameRates | undefined;
}

const noNames: MadeNames = { events: [], rates: undefined };

/**
 * @param made by records before these that the store has not loaded
 * @param names the same, and the rates with them
 */
export function createVerdicts(
  project: Project,
  schema: EventStore["schema"],
  made: readonly Property[] = [],
  names: MadeNames = noNames,
): Verdicts {
  let stored = storedTypes(project, schema(project.id));
  let defined = made.filter(({ table, name }) => stored.find(table, name) === undefined);
  let types = createTypeTable(defined, { below: stored });
  let storedEvents = schema(project.id).events;
  const events = new Set(names.events.filter((name) => !storedEvents.has(name)));
  const book = new NameBook({
    limits: project.names,
    rates: names.rates,
    hasEvent: (name) => events.has(name) || storedEvents.has(name),
    eventCount: () => storedEvents.size + events.size,
  });
  const refresh = (): void => {
    const now = storedTypes(project, schema(project.id));
    if (now === stored) return;
    storedEvents = schema(project.id).events;
    for (const name of events) if (storedEvents.has(name)) events.delete(name);
    // What the store has learnt meanwhile must not count twice.
    stored = now;
    defined = defined.filter(({ table, name }) => stored.find(table, name) === undefined);
    types = createTypeTable(defined, { below: stored });
  };
  return {
    check(json, receivedMs, appid, steadyMs = receivedMs) {
      refresh();
      book.begin(appid, steadyMs);
      const checked = checkRecord(json, { types, toInstant: project.toInstant, names: book }, receivedMs);
      if (checked.kind === "refused") return checked;
      if (checked.kind !== "user" && !book.hasEvent(checked.name)) {
        events.add(checked.name);
        book.add();
      }
      const table = checked.kind === "user" ? "user" : "event";
      for (const { name, known, type, group } of checked.values) {
        if (known !== undefined) continue;
        const property = { table, name, type, number: 0, ...(group !== undefined && { group }) } as const;
        defined.push(property);
        types.add(property);
        book.add();
      }
      return checked;
    },
    made: () => defined.slice(),
    names: () => ({ events: [...events], rates: book.rates() }),
  };
}

/** Of keys, whatever types there are. */
const keyReasons: ReadonlySet<DropReason> = new Set(["root_key", "name", "reserved", "double"]);

/**
 * Whether the verdicts of a call rest on types that the store has, which never
 * change: then no record that waits to be loaded matters.
 * @param checked against the store's schema and what the call itself makes
 */
export function areFinal(
  project: Project,
  schema: EventStore["schema"],
  checked: readonly CheckedRecord[],
): boolean {
  const stored = storedTypes(project, schema(project.id));
  const { events } = schema(project.id);
  return checked.every((one) => {
    if (one.kind === "refused") return true;
    if (one.kind !== "user" && project.names !== undefined && !events.has(one.name)) return false;
    const table = one.kind === "user" ? "user" : "event";
    return (
      one.values.every(({ known }) => known !== undefined) &&
      one.dropped.every(
        ({ name, reason }) => keyReasons.has(reason) || stored.find(table, name.toLowerCase()) !== undefined,
      )
    );
  });
}

interface StoredTypes {
  readonly schema: ProjectSchema;
  readonly types: TypeTable;
}

const latest = new WeakMap<Project, StoredTypes>();

function storedTypes(project: Project, schema: ProjectSchema): TypeTable {
  const known = latest.get(project);
  if (known?.schema === schema) return known.types;
  const types = createTypeTable(schema.properties.values(), { maxProperties: project.maxProperties });
  latest.set(project, { schema, types });
  return types;
}
