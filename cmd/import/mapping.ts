import { readFileSync } from "node:fs";
import { z } from "zod";
import { isJsonObject } from "../../base/json/raw-numbers.ts";
import { knownNames } from "../../base/text/known-names.ts";
import type { LineFailure } from "../../services/parser/line/line.ts";
import { type MappingConfig, mappingShape, strictShape } from "../../services/parser/mapping/config.ts";
import { compileMapping } from "../../services/parser/mapping/mapping.ts";
import { validate } from "../config/issues.ts";
import { createPlaces } from "../config/places.ts";
import { type ConfigPath, formatProblems, type Problem } from "../config/problem.ts";
import { parseConfigSource } from "../config/source.ts";
import { cannotRead } from "../terminal/file-fault.ts";
import { UsageError, UserError } from "../terminal/user-error.ts";

/** Maps a row to the JSON text of a record, or to the reason why it makes none. */
export type MapRow = (row: Readonly<Record<string, unknown>>) => string | LineFailure;

const fileSchema = strictShape({
  ...mappingShape,
  separator: z.string().length(1).optional().describe("between the columns of CSV"),
});

export interface ImportMapping {
  readonly map: MapRow;
  /** Checks the columns of a table. @throws UsageError with the columns that the mapping reads and the table lacks */
  readonly checkColumns: (columns: readonly string[]) => void;
  /** The separator between the columns of CSV. */
  readonly separator: string;
}

export interface MappingSource {
  /** A YAML file with the keys of a parser format: mapping, required, rest, nulls, zone, outputZone; and separator. */
  readonly file?: string | undefined;
  /** Entries `target=column`, `target=column:type` or `target:=constant text`, which override those of the file. */
  readonly entries: readonly string[];
}

const eventType: MappingConfig["mapping"][string] = { value: "track", onInvalid: "fail" };
const types = ["text", "number", "boolean", "list", "json", "time"];

/** Opens a mapping. @throws UserError with all faults */
export function openMapping({ file, entries }: MappingSource): ImportMapping {
  const source = parseConfigSource(file ?? "--map", file === undefined ? "" : readMapping(file));
  const { locate } = createPlaces(source, [], "");
  throwIfAny([...source.problems, ...source.lostKeys]);
  const own = Object.fromEntries(entries.map(readEntry));
  const { value: config, findings } = validate(fileSchema, withEntries(source.tree ?? {}, own));
  throwIfAny(findings.map(({ path, message, part }) => locate(path, message, part)));
  const compile = (mapping: MappingConfig["mapping"], knownFields?: readonly string[]) => {
    const found: Problem[] = [];
    const add = (path: ConfigPath, problem: string): void => void found.push(locate(path, problem));
    const { map } = compileMapping(
      { ...config!, mapping },
      // Tables have an empty text where they have no value.
      { at: [], problems: { add }, now: Date.now, knownFields, defaultNulls: [""] },
    );
    return { map, found };
  };
  const { mapping } = config!;
  const { map, found } = compile(mapping);
  throwIfAny(found);
  // A mapping that sets the event name means events, but a row may set its own type.
  const isOfEvents = "#event_name" in mapping && !("#type" in mapping);
  const mapEvent = isOfEvents ? compile({ ...mapping, "#type": eventType }).map : map;
  return {
    separator: config!.separator ?? ",",
    map: (row) => (Object.hasOwn(row, "#type") ? map : mapEvent)(row, false),
    checkColumns(columns) {
      const missing = compile(mapping, columns).found;
      if (missing.length > 0) throw new UsageError(faultText(missing));
    },
  };
}

function readMapping(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw cannotRead(file, error, "mapping file");
  }
}

/**
 * Adds the entries of the command line, which override those of the file. An invalid mapping is left to the validation.
 */
function withEntries(tree: unknown, own: Readonly<Record<string, unknown>>): unknown {
  if (!isJsonObject(tree)) return tree;
  const { mapping = {} } = tree;
  return { ...tree, mapping: isJsonObject(mapping) ? { ...mapping, ...own } : mapping };
}

function throwIfAny(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new UserError(faultText(problems));
}

function faultText(problems: readonly Problem[]): string {
  return `the mapping is not valid:\n${formatProblems(problems)}`;
}

function readEntry(text: string): [string, unknown] {
  const constant = /^([^=]+):=(.*)$/s.exec(text);
  if (constant !== null) return [constant[1]!, { value: constant[2] }];
  const [, target, column, type] = /^([^=]+)=(.+?)(?::([a-z]+))?$/.exec(text) ?? [];
  if (target === undefined || column === undefined) {
    throw new UsageError(
      `--map is ${JSON.stringify(text)}, give target=column, target=column:type or target:=text`,
    );
  }
  if (type === undefined) return [target, { from: column }];
  if (!types.includes(type)) {
    throw new UsageError(`--map has the type ${JSON.stringify(type)}, ${knownNames(type, types)}`);
  }
  return [target, { from: column, type, ...(type === "time" && { format: ["iso"] }) }];
}
