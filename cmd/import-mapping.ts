import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import type { LineFailure } from "../services/parser/line.ts";
import { mappingShape, strictShape } from "../services/parser/mapping/config.ts";
import { compileMapping } from "../services/parser/mapping/mapping.ts";
import { createProblems } from "../services/parser/mapping/problems.ts";
import { UserError } from "./user-error.ts";

/** The JSON text of a record, or why a row makes none. */
export type MapRow = (row: Readonly<Record<string, unknown>>) => string | LineFailure;

const fileSchema = strictShape({
  ...mappingShape,
  separator: z.string().length(1).optional().describe("between the columns of CSV"),
});

export interface ImportMapping {
  readonly map: MapRow;
  /** Between the columns of CSV. */
  readonly separator: string;
}

export interface MappingSource {
  /** YAML with the keys of a parser format: mapping, required, rest, nulls, zone, outputZone; and separator. */
  readonly file?: string | undefined;
  /** `target=column` or `target=column:type`, over those of the file. */
  readonly entries: readonly string[];
}

const types = ["text", "number", "boolean", "list", "json", "time"];

/** @throws UserError with all that is wrong */
export function openMapping({ file, entries }: MappingSource): ImportMapping {
  const given: unknown = file === undefined ? {} : parse(readFileSync(file, "utf8"));
  const read = fileSchema.safeParse(given ?? {});
  if (!read.success) throw new UserError(`${file}: ${z.prettifyError(read.error)}`);
  const own = fileSchema.safeParse({ mapping: Object.fromEntries(entries.map(readEntry)) });
  if (!own.success) throw new UserError(`--map: ${z.prettifyError(own.error)}`);
  const config = { ...read.data, mapping: { ...read.data.mapping, ...own.data.mapping } };
  const problems = createProblems();
  const { map } = compileMapping(config, {
    ...{ at: [], problems, now: Date.now, knownFields: undefined },
    // Where a table has no value there is an empty text.
    defaultNulls: [""],
  });
  if (problems.list.length > 0) {
    const faults = problems.list.map(({ path, message }) => `${path.join(".")}: ${message}`);
    throw new UserError(`the mapping is not valid:\n${faults.join("\n")}`);
  }
  return {
    separator: config.separator ?? ",",
    map: (row) => map(row, false),
  };
}

function readEntry(text: string): [string, unknown] {
  const [, target, column, type] = /^([^=]+)=(.+?)(?::([a-z]+))?$/.exec(text) ?? [];
  if (target === undefined || column === undefined) {
    throw new UserError(`--map is ${JSON.stringify(text)}, give target=column or target=column:type`);
  }
  if (type === undefined) return [target, { from: column }];
  if (!types.includes(type)) {
    throw new UserError(`--map has the type ${JSON.stringify(type)}, valid types are ${types.join(", ")}`);
  }
  return [target, { from: column, type, ...(type === "time" && { format: ["iso"] }) }];
}
