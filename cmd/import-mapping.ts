import { readFileSync } from "node:fs";
import { z } from "zod";
import type { LineFailure } from "../services/parser/line.ts";
import { mappingShape, strictShape } from "../services/parser/mapping/config.ts";
import { isJsonObject } from "../services/parser/mapping/json.ts";
import { compileMapping } from "../services/parser/mapping/mapping.ts";
import { createProblems } from "../services/parser/mapping/problems.ts";
import { validate } from "./config/issues.ts";
import { createPlaces } from "./config/places.ts";
import { formatProblems, type Problem } from "./config/problem.ts";
import { parseConfigSource } from "./config/source.ts";
import { cannotRead } from "./file-fault.ts";
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
  const source = parseConfigSource(file ?? "--map", file === undefined ? "" : readMapping(file));
  const { locate } = createPlaces(source, [], "");
  throwIfAny(source.problems);
  const own = Object.fromEntries(entries.map(readEntry));
  const { value: config, findings } = validate(fileSchema, withEntries(source.tree ?? {}, own));
  throwIfAny(findings.map(({ path, message, part }) => locate(path, message, part)));
  const problems = createProblems();
  const { map } = compileMapping(config!, {
    ...{ at: [], problems, now: Date.now, knownFields: undefined },
    // Where a table has no value there is an empty text.
    defaultNulls: [""],
  });
  throwIfAny(problems.list.map(({ path, message }) => locate(path, message)));
  return {
    separator: config!.separator ?? ",",
    map: (row) => map(row, false),
  };
}

function readMapping(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw cannotRead(file, error, "mapping file");
  }
}

/** Entries of the command line over those of the file; what is no mapping is left for validation. */
function withEntries(tree: unknown, own: Readonly<Record<string, unknown>>): unknown {
  if (!isJsonObject(tree)) return tree;
  const { mapping = {} } = tree;
  return { ...tree, mapping: isJsonObject(mapping) ? { ...mapping, ...own } : mapping };
}

function throwIfAny(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new UserError(`the mapping is not valid:\n${formatProblems(problems)}`);
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
