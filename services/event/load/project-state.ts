import type { EventName, ProjectSchema, Property, PropertyTable } from "../../../store/events/events.ts";
import { NameBook, type NameLimits, type NameRates } from "../record/name-book.ts";
import type { CheckedValue, RecordRules } from "../record/record.ts";
import { createTypeTable } from "../record/type-table.ts";

/** The state of a project while its records are prepared: the store's schema and the additions of later batches. */
export interface ProjectState {
  readonly rules: RecordRules;
  /** Limits of new events and properties. */
  readonly names: NameBook;
  /** Returns the number of an event that is not new. */
  knownEvent(name: string): number | undefined;
  /** Returns the number of an event; assigns one if it is new. */
  eventNumber(name: string): number;
  /** Returns the property of a value; creates it if it is new. */
  propertyOf(table: PropertyTable, value: CheckedValue): Property;
  /** Returns the additions since the last call. */
  takeNew(): { readonly events: readonly EventName[]; readonly properties: readonly Property[] };
}

export interface ProjectLimits {
  /** Default: no limit. */
  readonly maxProperties?: number | undefined;
  /** Default: no limits. */
  readonly names?: NameLimits | undefined;
  /** Rates of new names of the loaded records. */
  readonly rates?: NameRates | undefined;
}

export function createProjectState(
  schema: ProjectSchema,
  toInstant: RecordRules["toInstant"],
  { maxProperties, names: limits, rates }: ProjectLimits = {},
): ProjectState {
  const limit = maxProperties === undefined ? {} : { maxProperties };
  const types = createTypeTable(schema.properties.values(), limit);
  const events = new Map(Array.from(schema.events.values(), ({ name, number }) => [name, number]));
  let lastEvent = 0;
  for (const number of events.values()) lastEvent = Math.max(lastEvent, number);
  let lastProperty = 0;
  for (const { number } of schema.properties.values()) lastProperty = Math.max(lastProperty, number);
  let newEvents: EventName[] = [];
  let newProperties: Property[] = [];
  const names = new NameBook({
    limits,
    rates,
    hasEvent: (name) => events.has(name),
    eventCount: () => events.size,
  });
  return {
    names,
    rules: { types, toInstant, names },
    knownEvent: (name) => events.get(name),
    eventNumber(name) {
      const known = events.get(name);
      if (known !== undefined) return known;
      const number = ++lastEvent;
      events.set(name, number);
      newEvents.push({ name, number });
      names.add();
      return number;
    },
    propertyOf(table, { name, known, type, group }) {
      if (known !== undefined) return known;
      const number = ++lastProperty;
      const property = { table, name, number, type, ...(group !== undefined && { group }) };
      types.add(property);
      newProperties.push(property);
      names.add();
      return property;
    },
    takeNew() {
      const taken = { events: newEvents, properties: newProperties };
      newEvents = [];
      newProperties = [];
      return taken;
    },
  };
}
