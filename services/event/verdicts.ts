import type { EventStore, ProjectSchema, Property } from "../../store/events/events.ts";
import type { Project } from "./projects.ts";
import { checkRecord } from "./record/check-record.ts";
import { NameBook, type NameRates } from "./record/name-book.ts";
import type { CheckedRecord, DropReason } from "./record/record.ts";
import { createTypeTable, type TypeTable } from "./record/type-table.ts";

/** Checks records in their order, with the types that earlier ones have fixed. */
export interface Verdicts {
  /**
   * Checks a record, which may fix types for later ones.
   * @param steadyMs see SpoolLine
   */
  readonly check: (json: unknown, receivedMs: number, appid?: string, steadyMs?: number) => CheckedRecord;
  /** Returns the properties that earlier records defined and the store does not have. */
  readonly made: () => readonly Property[];
  /** Returns the event names that earlier records defined, and the rates of new names. */
  readonly names: () => MadeNames;
}

export interface MadeNames {
  readonly events: readonly string[];
  readonly rates: NameRates | undefined;
}

const noNames: MadeNames = { events: [], rates: undefined };

/**
 * Creates the verdicts of a project.
 * @param made properties of earlier records that the store has not loaded
 * @param names event names of these records, and the rates of new names
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
    // Properties that the store has loaded meanwhile must not count twice.
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

/** Reasons that do not depend on types. */
const keyReasons: ReadonlySet<DropReason> = new Set(["root_key", "name", "reserved", "double"]);

/**
 * Reports whether verdicts depend only on types in the store, which never change; then records that wait to be loaded
 * do not matter.
 * @param checked verdicts based on the store's schema and the records of the call itself
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
