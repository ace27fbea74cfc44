import type { EventStore, ProjectSchema, Property } from "../../store/events/events.ts";
import type { Project } from "./projects.ts";
import { checkRecord } from "./record/check-record.ts";
import type { CheckedRecord } from "./record/record.ts";
import { createTypeTable, type TypeTable } from "./record/type-table.ts";

/** Checks one record after the other; each may fix types for those behind it. */
export type Verdicts = (json: unknown, receivedMs: number) => CheckedRecord;

export function createVerdicts(project: Project, schema: EventStore["schema"]): Verdicts {
  let stored = storedTypes(project, schema(project.id));
  let defined: Property[] = [];
  let types = createTypeTable([], { below: stored });
  return (json, receivedMs) => {
    const now = storedTypes(project, schema(project.id));
    if (now !== stored) {
      // A stream may go on for days; what the store has learnt meanwhile must not count twice.
      stored = now;
      defined = defined.filter(({ table, name }) => stored.find(table, name) === undefined);
      types = createTypeTable(defined, { below: stored });
    }
    const checked = checkRecord(json, { types, toInstant: project.toInstant }, receivedMs);
    if (checked.kind === "refused") return checked;
    const table = checked.kind === "user" ? "user" : "event";
    for (const { name, known, type, group } of checked.values) {
      if (known !== undefined) continue;
      const property = { table, name, type, number: 0, ...(group !== undefined && { group }) } as const;
      defined.push(property);
      types.add(property);
    }
    return checked;
  };
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
