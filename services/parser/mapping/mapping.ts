import { isJsonObject, setKey } from "../../../base/json/raw-numbers.ts";
import { knownNames } from "../../../base/text/known-names.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { Refusal, refuse } from "../line/line.ts";
import type { MappingConfig } from "./config.ts";
import { type Copier, createCopier } from "./copy/copy.ts";
import { compileEntry, type Entry, type EntryContext } from "./entry.ts";
import { compilePath, createSlotTable, type Fields, type GetValue, type SlotTable } from "./fields.ts";
import { closeRecord, type IsNull, joinMembers, type Target, writeMembers } from "./members.ts";
import { createPlanner, type MakePlan, maxFields } from "./plan.ts";
import type { ConfigPath, Problems } from "./problems.ts";
import { hasId, idKeys, rootKeys, zoneOffsetKey } from "./record.ts";
import { headOf, writeNested } from "./write.ts";

/**
 * Writes the record of the fields of one line as JSON text. The text is concatenated value by value: creating an
 * object and stringifying it took 0.5 µs more per line. `plain` means that no text of the line needs escaping: it is
 * true for JSON without a backslash, which saves checking the texts.
 */
export type MapFields = (fields: Fields, plain: boolean) => string | Refusal;

export interface MappingContext {
  /** Path of the format in the configuration. */
  readonly at: ConfigPath;
  readonly problems: Problems;
  readonly now: () => number;
  /** Fields that the format can have; undefined when it can have any. */
  readonly knownFields: readonly string[] | undefined;
  /** Texts that mean "no value" where the configuration has no `nulls`. */
  readonly defaultNulls: readonly string[];
  /** Whether a mapping with an id refuses lines without one. */
  readonly refusesMissingId?: boolean;
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
  /** Whether a record needs one of the ids: true if the mapping writes an id. */
  readonly needsId: boolean;
  readonly keepRest: boolean;
  /** Fields that are not kept. */
  readonly skip: ReadonlySet<string>;
  /** Keys of a field `properties` that are not kept. */
  readonly taken: ReadonlySet<string>;
  readonly isNull: IsNull;
}

export interface Mapping {
  readonly map: MapFields;
  /** Copies lines of JSON to the same records; undefined where every line has to be parsed. */
  readonly copier: Copier | undefined;
}

export function compileMapping(config: MappingConfig, context: MappingContext): Mapping {
  const table = createSlotTable();
  const nulls = config.nulls ?? context.defaultNulls;
  const isNull = compileIsNull(nulls);
  const entries = compileEntries(config, isNull, table, context);
  checkFields(config, entries, context);
  const targets = compileTargets(entries, context);
  const written = targets.map(({ key }) => key);
  // A dotted path reads only a part of a field, so the field itself is kept; in flattened JSON it is a key.
  const read = config.rest === "keep" ? entries.flatMap(([, entry]) => entry.paths) : [];
  const skip = new Set([...written, ...read]);
  const keepRest = config.rest !== "drop";
  const compiled: Compiled = {
    required: config.required.map((path) => ({ path, get: compilePath(path, table) })),
    root: targets.filter(({ key }) => rootKeys.has(key)),
    inside: targets.filter(({ key }) => !rootKeys.has(key)),
    needsId: context.refusesMissingId === true && targets.some(({ key }) => idKeys.includes(key)),
    keepRest,
    skip,
    taken: new Set([...written, ...read.map((path) => path.replace(/^properties\./, ""))]),
    isNull,
  };
  const planner = createPlanner({ slots: table.names, skip, keepRest });
  return {
    map: createMap(compiled, planner.plan),
    copier: nulls.length === 0 ? createCopier(compiled, table, planner) : undefined,
  };
}

function createMap(compiled: Compiled, makePlan: MakePlan): MapFields {
  const { required, root, inside, needsId, isNull } = compiled;
  return (fields, plain) => {
    const planned = makePlan(fields);
    if (planned === undefined) return refuseFields();
    const { plan, values } = planned;
    for (const { path, get } of required) {
      if (isNull(get(values, plan.places))) return refuse("missing_key", `${path} is missing`);
    }
    const record = writeMembers(root, plan.root, planned, plain, isNull);
    if (record instanceof Refusal) return record;
    if (needsId && !hasId(record)) return refuseMissingId(root);
    const found = values[plan.propertiesAt];
    const own = isJsonObject(found) ? found : undefined;
    const copies = own !== undefined || plan.isWide;
    const members = writeMembers(inside, copies ? [] : plan.rest, planned, plain, isNull);
    const properties = copies ? writeCopied(compiled, fields, own, members) : members;
    return properties instanceof Refusal ? properties : closeRecord(record, properties);
  };
}

/**
 * Writes properties in the slow way, for lines with many fields and for a field `properties` that is an object: its
 * keys are merged with the others and take precedence.
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
  return joinMembers(written, text);
}

function refuseMissingId(root: readonly Target[]): Refusal {
  const sources = root.filter(({ key }) => idKeys.includes(key)).flatMap(({ paths }) => paths);
  return refuse("missing_id", `${idKeys.join(" and ")} are missing; they come from ${sources.join(", ")}`);
}

function refuseFields(): Refusal {
  return refuse("invalid_value", `more than ${maxFields} fields`);
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
  const targets = entries.map(([key, entry]): Target => ({ key, head: headOf(key), ...entry }));
  if (entries.some(([target]) => target === zoneOffsetKey)) return targets;
  const offsets = entries.filter(([, entry]) => entry.readOffset !== undefined);
  if (offsets.length > 1) {
    const names = offsets.map(([target]) => target).join(", ");
    problems.add(
      [...at, "mapping"],
      `only one time can set ${zoneOffsetKey}, got ${names}: set zoneOffset: false`,
    );
  }
  for (const [, { readOffset, paths }] of offsets.slice(0, 1)) {
    const head = headOf(zoneOffsetKey);
    targets.push({
      key: zoneOffsetKey,
      head,
      read: readOffset!,
      isLineText: true,
      copyable: undefined,
      paths,
    });
  }
  return targets;
}

/** Reports paths to fields that the format cannot have. */
function checkFields(config: MappingConfig, entries: Entries, context: MappingContext): void {
  const known = context.knownFields;
  if (known === undefined) return;
  const check = (path: string, at: ConfigPath) => {
    if (known.includes(path) || known.includes(path.split(".")[0]!)) return;
    context.problems.add(at, `there is no column ${quoteText(path)}, ${knownNames(path, known)}`);
  };
  for (const [target, entry] of entries) {
    for (const path of entry.paths) check(path, [...context.at, "mapping", target]);
  }
  for (const [index, path] of config.required.entries()) check(path, [...context.at, "required", index]);
}
