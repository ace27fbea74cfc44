import { Refusal, refuse } from "../line.ts";
import type { MappingConfig } from "./config.ts";
import { isJsonObject, writeJson } from "./json.ts";
import { compilePath, type Fields } from "./path.ts";
import type { ConfigPath, Problems } from "./problems.ts";
import { compileEntry, type Entry, type EntryContext, type Write } from "./writers.ts";

/** Keys that stand at the root of a record; all others stand in `properties`. */
export const rootKeys: ReadonlySet<string> = new Set([
  "#type",
  "#time",
  "#event_name",
  "#account_id",
  "#distinct_id",
  "#uuid",
  "#ip",
  "#app_id",
  "#event_id",
  "#first_check_id",
]);

/**
 * Writes the record of one line's fields as JSON text. It is put together as text, value by value: building an
 * object first and printing it took 0.7 µs longer a line. `plain`: see writeJson.
 */
export type MapFields = (fields: Fields, plain: boolean) => string | Refusal;

export interface MappingContext {
  /** Path of the format in the configuration. */
  readonly at: ConfigPath;
  readonly problems: Problems;
  readonly now: () => number;
  /** Fields the format can have; undefined when any may come. */
  readonly knownFields: readonly string[] | undefined;
  /** Texts that mean "no value" when the configuration does not say. */
  readonly defaultNulls: readonly string[];
}

/** A target and what writes its value. The head is the key with its colon, as JSON text. */
interface Target {
  readonly head: string;
  readonly write: Write;
}

/** How the fields that no entry reads are written. */
interface Rest {
  readonly skip: ReadonlySet<string>;
  readonly skipInProperties: ReadonlySet<string>;
  readonly isNull: (value: unknown) => boolean;
}

const zoneOffsetKey = "#zone_offset";

export function compileMapping(config: MappingConfig, context: MappingContext): MapFields {
  const isNull = compileIsNull(config.nulls ?? context.defaultNulls);
  const entries = compileEntries(config, isNull, context);
  const targets = compileTargets(entries, context);
  checkFields(config, entries, context);
  const required = config.required.map((path) => ({ path, get: compilePath(path) }));
  const rest = config.rest === "drop" ? undefined : compileRest(config.rest, entries, targets, isNull);
  return (fields, plain) => {
    for (const { path, get } of required) {
      if (isNull(get(fields))) return refuse("missing_key", `${path} is missing`);
    }
    const root = writeTargets(targets.root, fields, plain);
    if (root instanceof Refusal) return root;
    const properties = writeTargets(targets.properties, fields, plain);
    if (properties instanceof Refusal) return properties;
    if (rest === undefined) return closeRecord(root, properties);
    return writeRest(rest, fields, plain, root, properties);
  };
}

function compileIsNull(nulls: readonly string[]): (value: unknown) => boolean {
  if (nulls.length === 0) return (value) => value === undefined || value === null;
  return (value) =>
    value === undefined || value === null || (typeof value === "string" && nulls.includes(value));
}

type Entries = readonly (readonly [target: string, entry: Entry])[];

function compileEntries(
  config: MappingConfig,
  isNull: (value: unknown) => boolean,
  context: MappingContext,
): Entries {
  const { now, problems } = context;
  const entryContext: EntryContext = {
    zone: config.zone,
    outputZone: config.outputZone,
    isNull,
    now,
    problems,
  };
  return Object.entries(config.mapping).map(([target, entry]) => [
    target,
    compileEntry(target, entry, [...context.at, "mapping", target], entryContext),
  ]);
}

interface Targets {
  readonly root: readonly Target[];
  readonly properties: readonly Target[];
}

function compileTargets(entries: Entries, { at, problems }: MappingContext): Targets {
  const root: Target[] = [];
  const properties: Target[] = [];
  const add = (key: string, write: Write) =>
    (rootKeys.has(key) ? root : properties).push({ head: `${JSON.stringify(key)}:`, write });
  for (const [target, entry] of entries) add(target, entry.write);
  if (entries.some(([target]) => target === zoneOffsetKey)) return { root, properties };
  const offsets = entries.filter(([, entry]) => entry.writeOffset !== undefined);
  if (offsets.length > 1) {
    const names = offsets.map(([target]) => target).join(", ");
    problems.add(
      [...at, "mapping"],
      `only one time can set ${zoneOffsetKey}, got ${names}: set zoneOffset: false`,
    );
  }
  for (const [, entry] of offsets.slice(0, 1)) add(zoneOffsetKey, entry.writeOffset!);
  return { root, properties };
}

/** Where the fields are known beforehand, one that can't come is a mistake in the configuration. */
function checkFields(config: MappingConfig, entries: Entries, context: MappingContext): void {
  const known = context.knownFields;
  if (known === undefined) return;
  const check = (path: string, at: ConfigPath) => {
    if (known.includes(path) || known.includes(path.split(".")[0]!)) return;
    context.problems.add(at, `no column ${JSON.stringify(path)}, columns: ${known.join(", ")}`);
  };
  for (const [target, entry] of entries) {
    for (const path of entry.paths) if (path !== "") check(path, [...context.at, "mapping", target]);
  }
  for (const [index, path] of config.required.entries()) check(path, [...context.at, "required", index]);
}

function writeTargets(targets: readonly Target[], fields: Fields, plain: boolean): string | Refusal {
  let text = "";
  for (const { head, write } of targets) {
    const value = write(fields, plain);
    if (value === "") continue;
    if (value instanceof Refusal) return value;
    text += text === "" ? head : `,${head}`;
    text += value;
  }
  return text;
}

function closeRecord(root: string, properties: string): string {
  if (properties === "") return `{${root}}`;
  return root === "" ? `{"properties":{${properties}}}` : `{${root},"properties":{${properties}}}`;
}

function compileRest(
  kind: "keep" | "all",
  entries: Entries,
  targets: Targets,
  isNull: (value: unknown) => boolean,
): Rest {
  const written = [...targets.root, ...targets.properties].map(
    ({ head }) => JSON.parse(head.slice(0, -1)) as string,
  );
  // A dotted path reads a part of a field only, so the field itself stays; in flattened JSON it is a key.
  const read = kind === "all" ? [] : entries.flatMap(([, entry]) => entry.paths);
  const inside = read
    .filter((path) => path.startsWith("properties."))
    .map((path) => path.slice("properties.".length));
  return { skip: new Set([...written, ...read]), skipInProperties: new Set([...written, ...inside]), isNull };
}

function writeRest(rest: Rest, fields: Fields, plain: boolean, root: string, properties: string): string {
  const { skip, isNull } = rest;
  // A field `properties` that is an object is what a record holds already: its keys join the others.
  const inner = Object.hasOwn(fields, "properties") ? fields["properties"] : undefined;
  const merged = isJsonObject(inner) && !skip.has("properties") ? inner : undefined;
  for (const key in fields) {
    if (skip.has(key)) continue;
    const value = fields[key];
    if (isNull(value)) continue;
    const text = `${writeJson(key, plain)}:${writeJson(value, plain)}`;
    if (key.charCodeAt(0) === 35 && rootKeys.has(key)) {
      root += root === "" ? text : `,${text}`;
    } else if (merged === undefined || (key !== "properties" && !holds(rest, merged, key))) {
      properties += properties === "" ? text : `,${text}`;
    }
  }
  if (merged !== undefined) properties = writeMerged(rest, merged, plain, properties);
  return closeRecord(root, properties);
}

function holds(rest: Rest, merged: Fields, key: string): boolean {
  return Object.hasOwn(merged, key) && !rest.isNull(merged[key]);
}

function writeMerged(rest: Rest, merged: Fields, plain: boolean, properties: string): string {
  for (const key of Object.keys(merged)) {
    const value = merged[key];
    if (rest.skipInProperties.has(key) || rest.isNull(value)) continue;
    const text = `${writeJson(key, plain)}:${writeJson(value, plain)}`;
    properties += properties === "" ? text : `,${text}`;
  }
  return properties;
}
