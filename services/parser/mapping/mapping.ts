import { Refusal, refuse } from "../line.ts";
import type { MappingConfig } from "./config.ts";
import { compileEntry, type Entry, type EntryContext, type ReadTarget } from "./entry.ts";
import { isJsonObject, setKey } from "./json.ts";
import type { Fields } from "./path.ts";
import { createPlanner, type Kept, type MakePlan, maxFields, type Planned } from "./plan.ts";
import type { ConfigPath, Problems } from "./problems.ts";
import { rootKeys, zoneOffsetKey } from "./record.ts";
import { compilePath, createSlotTable, type GetValue, type SlotTable } from "./slots.ts";
import { type Head, headOf, isPlainText, writeKey, writeNested, writeValue } from "./write.ts";

/**
 * Writes the record of one line's fields as JSON text. It is put together as text, value by value: making an
 * object to print it took 0.5 µs longer a line. `plain` says that no text of the line needs escaping: true for JSON
 * without a backslash, which saves looking through the texts.
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

interface Target {
  readonly key: string;
  readonly head: Head;
  readonly read: ReadTarget;
  readonly isOfLine: boolean;
}

interface Required {
  readonly path: string;
  readonly get: GetValue;
}

/** The parts of a compiled mapping. */
interface Compiled {
  readonly required: readonly Required[];
  readonly root: readonly Target[];
  readonly inside: readonly Target[];
  readonly keepRest: boolean;
  /** Fields that are not kept. */
  readonly skip: ReadonlySet<string>;
  /** Names that the keys of a field `properties` must not have. */
  readonly taken: ReadonlySet<string>;
  readonly isNull: IsNull;
}

type IsNull = (value: unknown) => boolean;

export function compileMapping(config: MappingConfig, context: MappingContext): MapFields {
  const table = createSlotTable();
  const isNull = compileIsNull(config.nulls ?? context.defaultNulls);
  const entries = compileEntries(config, isNull, table, context);
  checkFields(config, entries, context);
  const targets = compileTargets(entries, context);
  const written = targets.map(({ key }) => key);
  // A dotted path reads only a part of a field, so the field itself stays; in flattened JSON it is a key.
  const read = config.rest === "keep" ? entries.flatMap(([, entry]) => entry.paths) : [];
  const skip = new Set([...written, ...read]);
  const keepRest = config.rest !== "drop";
  const compiled: Compiled = {
    required: config.required.map((path) => ({ path, get: compilePath(path, table) })),
    root: targets.filter(({ key }) => rootKeys.has(key)),
    inside: targets.filter(({ key }) => !rootKeys.has(key)),
    keepRest,
    skip,
    taken: new Set([...written, ...read.map((path) => path.replace(/^properties\./, ""))]),
    isNull,
  };
  return createMap(compiled, createPlanner({ slots: table.names, skip, keepRest }));
}

function createMap(compiled: Compiled, makePlan: MakePlan): MapFields {
  const { required, root, inside, isNull } = compiled;
  return (fields, plain) => {
    const planned = makePlan(fields);
    if (planned === undefined) return refuseFields();
    const { plan, values } = planned;
    for (const { path, get } of required) {
      if (isNull(get(values, plan.places))) return refuse("missing_key", `${path} is missing`);
    }
    const record = writeMembers(root, plan.root, planned, plain, isNull);
    if (record instanceof Refusal) return record;
    const found = values[plan.propertiesAt];
    const own = isJsonObject(found) ? found : undefined;
    const copies = own !== undefined || plan.isWide;
    const members = writeMembers(inside, copies ? [] : plan.rest, planned, plain, isNull);
    const properties = copies ? writeCopied(compiled, fields, own, members) : members;
    return properties instanceof Refusal ? properties : closeRecord(record, properties);
  };
}

/** The members of an object, without its braces: what the targets read, then the fields that are kept. */
function writeMembers(
  targets: readonly Target[],
  kept: readonly Kept[],
  { plan: { places }, values }: Planned,
  plain: boolean,
  isNull: IsNull,
): string | Refusal {
  let text = "";
  let isOpen = false;
  for (let index = 0; index < targets.length; index++) {
    const { head, read, isOfLine } = targets[index]!;
    const value = read(values, places);
    if (value === undefined) continue;
    if (value instanceof Refusal) return value;
    const isText = typeof value === "string" && ((plain && isOfLine) || isPlainText(value));
    text += writeKey(head, text, isOpen, isText) + (isText ? value : writeValue(value));
    isOpen = isText;
  }
  for (let index = 0; index < kept.length; index++) {
    const { at, head } = kept[index]!;
    const value = values[at];
    if (isNull(value)) continue;
    const isText = typeof value === "string" && (plain || isPlainText(value));
    text += writeKey(head, text, isOpen, isText) + (isText ? value : writeValue(value));
    isOpen = isText;
  }
  return isOpen ? `${text}"` : text;
}

/**
 * The slow way, for fields in great number and for a field `properties` that is an object, as records have: its keys
 * join the others and win.
 */
function writeCopied(
  compiled: Compiled,
  fields: Fields,
  own: Fields | undefined,
  written: string | Refusal,
): string | Refusal {
  if (written instanceof Refusal) return written;
  if (own !== undefined && Object.keys(own).length > maxFields) return refuseFields();
  const { skip, taken, keepRest, isNull } = compiled;
  const rest: Record<string, unknown> = {};
  const copy = (from: Fields, hidden: ReadonlySet<string>) => {
    for (const key of Object.keys(from)) {
      const value = from[key];
      if (hidden.has(key) || isNull(value) || (from === fields && rootKeys.has(key)) || value === own)
        continue;
      setKey(rest, key, value);
    }
  };
  if (keepRest) copy(fields, skip);
  if (own !== undefined) copy(own, taken);
  const text = writeNested(rest).slice(1, -1);
  return written === "" || text === "" ? written + text : `${written},${text}`;
}

function refuseFields(): Refusal {
  return refuse("invalid_value", `more than ${maxFields} fields`);
}

function closeRecord(root: string, properties: string): string {
  if (properties === "") return `{${root}}`;
  return root === "" ? `{"properties":{${properties}}}` : `{${root},"properties":{${properties}}}`;
}

function compileIsNull(nulls: readonly string[]): IsNull {
  if (nulls.length === 0) return (value) => value === undefined || value === null;
  return (value) =>
    value === undefined || value === null || (typeof value === "string" && nulls.includes(value));
}

type Entries = readonly (readonly [target: string, entry: Entry])[];

function compileEntries(
  config: MappingConfig,
  isNull: IsNull,
  slots: SlotTable,
  { at, now, problems }: MappingContext,
): Entries {
  const { zone, outputZone } = config;
  const entryContext: EntryContext = { zone, outputZone, slots, isNull, now, problems };
  return Object.entries(config.mapping).map(([target, entry]) => [
    target,
    compileEntry(target, entry, [...at, "mapping", target], entryContext),
  ]);
}

function compileTargets(entries: Entries, { at, problems }: MappingContext): Target[] {
  const targets = entries.map(([key, { read, isOfLine }]) => targetOf(key, read, isOfLine));
  if (entries.some(([target]) => target === zoneOffsetKey)) return targets;
  const offsets = entries.filter(([, entry]) => entry.readOffset !== undefined);
  if (offsets.length > 1) {
    const names = offsets.map(([target]) => target).join(", ");
    problems.add(
      [...at, "mapping"],
      `only one time can set ${zoneOffsetKey}, got ${names}: set zoneOffset: false`,
    );
  }
  for (const [, { readOffset }] of offsets.slice(0, 1))
    targets.push(targetOf(zoneOffsetKey, readOffset!, true));
  return targets;
}

function targetOf(key: string, read: ReadTarget, isOfLine: boolean): Target {
  return { key, head: headOf(key), read, isOfLine };
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
    for (const path of entry.paths) check(path, [...context.at, "mapping", target]);
  }
  for (const [index, path] of config.required.entries()) check(path, [...context.at, "required", index]);
}
