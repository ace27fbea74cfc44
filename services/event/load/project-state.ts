import type { EventName, ProjectSchema, Property, PropertyTable } from "../../../store/events/events.ts";
import type { CheckedValue, RecordRules } from "../record/record.ts";
import { createTypeTable } from "../record/type-table.ts";

/** What is known of a project while its records are prepared: the store's schema, and what batches since then added. */
export interface ProjectState {
  readonly rules: RecordRules;
  /** The number of an event, given now if it has none. */
  eventNumber(name: string): number;
  /** The property of a value, made now if there is none. */
  propertyOf(table: PropertyTable, value: CheckedValue): Property;
  /** What was added since the last call. */
  takeNew(): { readonly events: readonly EventName[]; readonly properties: readonly Property[] };
}

export function createProjectState(
  schema: ProjectSchema,
  toInstant: RecordRules["toInstant"],
  maxProperties?: number,
): ProjectState {
  const limit = maxProperties === undefined ? {} : { maxProperties };
  const types = createTypeTable(schema.properties.values(), limit);
  const events = new Map(Array.from(schema.events.values(), ({ name, number }) => [name, number]));
  let lastEvent = Math.max(0, ...events.values());
  let lastProperty = 0;
  for (const { number } of schema.properties.values()) lastProperty = Math.max(lastProperty, number);
  let newEvents: EventName[] = [];
  let newProperties: Property[] = [];
  return {
    rules: { types, toInstant },
    eventNumber(name) {
      const known = events.get(name);
      if (known !== undefined) return known;
      const number = ++lastEvent;
      events.set(name, number);
      newEvents.push({ name, number });
      return number;
    },
    propertyOf(table, { name, known, type, group }) {
      if (known !== undefined) return known;
      const number = ++lastProperty;
      const property = { table, name, number, type, ...(group !== undefined && { group }) };
      types.add(property);
      newProperties.push(property);
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
