import type { EventStore, ProjectSchema } from "../../store/events/events.ts";
import type { Project } from "./projects.ts";
import { checkRecord } from "./record/check-record.ts";
import type { CheckedRecord, RecordRules } from "./record/record.ts";
import { createTypeTable, type TypeTable } from "./record/type-table.ts";

/** Checks one record after the other; each may fix types for those behind it. */
export type Verdicts = (json: unknown, receivedMs: number) => CheckedRecord;

/** A stream may go on for days; types that the store has learnt meanwhile need not be kept here. */
const maxDefined = 10_000;

export function createVerdicts(project: Project, schema: EventStore["schema"]): Verdicts {
  const stored = (): TypeTable => typesOf(schema(project.id));
  const createOwn = (): TypeTable =>
    createTypeTable([], {
      find: (table, name) => stored().find(table, name),
      members: (table, name) => stored().members(table, name),
    });
  let own = createOwn();
  let defined = 0;
  return (json, receivedMs) => {
    const rules: RecordRules = { types: own, toInstant: project.toInstant };
    const checked = checkRecord(json, rules, receivedMs);
    if (checked.kind === "refused") return checked;
    const table = checked.kind === "user" ? "user" : "event";
    for (const { name, known, type, group } of checked.values) {
      if (known !== undefined) continue;
      own.add({ table, name, type, number: 0, ...(group !== undefined && { group }) });
      defined++;
    }
    if (defined > maxDefined) {
      own = createOwn();
      defined = 0;
    }
    return checked;
  };
}

const tables = new WeakMap<ProjectSchema, TypeTable>();

function typesOf(schema: ProjectSchema): TypeTable {
  const known = tables.get(schema);
  if (known !== undefined) return known;
  const table = createTypeTable(schema.properties.values());
  tables.set(schema, table);
  return table;
}
