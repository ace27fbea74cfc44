import { Refusal, refuse } from "../line.ts";
import type { MappingConfig } from "./config.ts";
import { compileEntry, type Entry, type EntryContext, type ReadTarget } from "./entry.ts";
import { isJsonObject } from "./json.ts";
import type { Fields } from "./path.ts";
import { createPlanner, type Kept, type Planner } from "./plan.ts";
import type { ConfigPath, Problems } from "./problems.ts";
import { rootKeys, zoneOffsetKey } from "./record.ts";
import { compilePath, createSlotTable, type GetValue, type Slots, type SlotTable } from "./slots.ts";
import { writeJson } from "./write.ts";

/**
 * Writes the record of one line's fields as JSON text. It is put together as text, value by value: making an
 * object to print it took 0.5 µs longer a line. `plain`: see writeJson.
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

/** A target with its key and colon as JSON text. */
interface Target {
  readonly key: string;
  readonly head: string;
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
  const compiled: Compiled = {
    required: config.required.map((path) => ({ path, get: compilePath(path, table) })),
    root: targets.filter(({ key }) => rootKeys.has(key)),
    inside: targets.filter(({ key }) => !rootKeys.has(key)),
    taken: new Set([...written, ...read.map((path) => path.replace(/^properties\./, ""))]),
    isNull,
  };
  const skip = new Set([...written, ...read]);
  const planner = createPlanner({ slots: table.names, skip, keepRest: config.rest !== "drop" });
  return createMap(compiled, planner, table.names.length);
}

function createMap(compiled: Compiled, { load, values }: Planner, slotCount: number): MapFields {
  const { required, root, inside, taken, isNull } = compiled;
  const slots: unknown[] = new Array(slotCount).fill(undefined);
  return (fields, plain) => {
    const plan = load(fields);
    const { slotAt } = plan;
    for (let slot = 0; slot < slotCount; slot++) {
      const at = slotAt[slot]!;
      slots[slot] = at === -1 ? undefined : values[at];
    }
    for (const { path, get } of required) {
      if (isNull(get(slots))) return refuse("missing_key", `${path} is missing`);
    }
    const rootText = writeTargets(root, slots, plain);
    if (rootText instanceof Refusal) return rootText;
    const insideText = writeTargets(inside, slots, plain);
    if (insideText instanceof Refusal) return insideText;
    const own = plan.propertiesAt === -1 ? undefined : values[plan.propertiesAt];
    const properties = isJsonObject(own)
      ? writeMerged(insideText, plan.rest, values, own, plain, taken, isNull)
      : writeKept(insideText, plan.rest, values, plain, isNull);
    return closeRecord(writeKept(rootText, plan.root, values, plain, isNull), properties);
  };
}

function writeTargets(targets: readonly Target[], slots: Slots, plain: boolean): string | Refusal {
  let text = "";
  for (const { head, read, isOfLine } of targets) {
    const value = read(slots);
    if (value === undefined) continue;
    if (value instanceof Refusal) return value;
    text = join(text, head, writeJson(value, plain && isOfLine));
  }
  return text;
}

function join(text: string, head: string, value: string): string {
  return text === "" ? head + value : `${text},${head}${value}`;
}

function writeKept(
  start: string,
  kept: readonly Kept[],
  values: Slots,
  plain: boolean,
  isNull: IsNull,
): string {
  let text = start;
  for (const { at, head } of kept) {
    const value = values[at];
    if (!isNull(value)) text = join(text, head, writeJson(value, plain));
  }
  return text;
}

/** A field `properties` that is an object is what a record holds already: its keys join the others and win. */
function writeMerged(
  start: string,
  kept: readonly Kept[],
  values: Slots,
  own: Fields,
  plain: boolean,
  taken: ReadonlySet<string>,
  isNull: IsNull,
): string {
  const inner = Object.entries(own).filter(([key, value]) => !taken.has(key) && !isNull(value));
  const names = new Set(inner.map(([key]) => key));
  const others = kept.filter(({ key }) => key !== "properties" && !names.has(key));
  let text = writeKept(start, others, values, plain, isNull);
  for (const [key, value] of inner) text = join(text, `${writeJson(key, plain)}:`, writeJson(value, plain));
  return text;
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
  return { key, head: `${JSON.stringify(key)}:`, read, isOfLine };
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
