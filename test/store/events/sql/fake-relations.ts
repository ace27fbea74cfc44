import type { Property } from "../../../../store/events/events.ts";
import type { Relations } from "../../../../store/events/sql/relations.ts";

/** Fictional tables, for tests of SQL texts only. */
export const fakeRelations: Relations = {
  schema: { version: 1, events: new Map([["buy", { name: "buy", number: 1 }]]), properties: new Map() },
  rowsAtMost: () => 1_000,
  events: ({ bucket, startMs, endMs }) => `(EVENTS ${bucket?.(startMs, endMs) ?? ""})`,
  users: () => "(USERS)",
  cohort: () => "(CLUSTER)",
  column: ({ number }) => `p${number}`,
};

export const hostile = "x'); DROP TABLE e; --";

/** Its name is never part of a text. */
export const property = (number: number, more: Partial<Property> = {}): Property => ({
  table: "event",
  name: hostile,
  number,
  type: "text",
  ...more,
});

/** How often the text reads the events. */
export const passesOf = (sql: string): number => sql.split("(EVENTS").length - 1;
