import { quoteText } from "../../../base/text/quote.ts";
import { Refusal, refuse } from "../line/line.ts";
import type { EntryConfig } from "./config.ts";
import { checkTypeKeys, compileConvert } from "./convert.ts";
import { compilePath, type GetValue, type Places, type SlotTable, type Values } from "./fields.ts";
import type { ConfigPath, Problems } from "./problems.ts";
import { compileTemplate, type Piece, splitTemplate } from "./template.ts";
import { compileTime, type ReadTimeValue } from "./time/time.ts";

/** Reads the value of a target; undefined omits the target. */
export type ReadTarget = (values: Values, places: Places) => unknown | Refusal;

/**
 * The source of an entry that can be copied from a line without escapes: a constant, a field, or a text of both.
 */
export type Copyable =
  | { readonly constant: unknown }
  | { readonly field: string }
  | { readonly pieces: readonly Piece[] };

/** A compiled mapping entry. */
export interface Entry {
  /** Source fields that it reads, for messages and for `rest`. */
  readonly paths: readonly string[];
  readonly read: ReadTarget;
  /** Whether its text comes from the line, so that it needs escaping only if texts of the line do. */
  readonly isLineText: boolean;
  readonly copyable: Copyable | undefined;
  /** Reads the hours east of UTC of a time, where `#zone_offset` is written. */
  readonly readOffset: ReadTarget | undefined;
}

export interface EntryContext {
  readonly zone: string | undefined;
  readonly outputZone: string | undefined;
  readonly slots: SlotTable;
  readonly isNull: (value: unknown) => boolean;
  readonly now: () => number;
  readonly problems: Problems;
}

interface Source {
  readonly name: string;
  readonly paths: readonly string[];
  /** Returns undefined for values that mean "no value". */
  readonly get: GetValue;
}

export function compileEntry(
  target: string,
  config: EntryConfig,
  at: ConfigPath,
  context: EntryContext,
): Entry {
  const { problems } = context;
  checkTypeKeys(config, at, problems);
  const given = (["from", "template", "value"] as const).filter((key) => config[key] !== undefined);
  if (given.length !== 1) {
    problems.add(at, `needs exactly one of from, template, value, got ${given.join(" and ") || "none"}`);
  }
  if (config.zoneOffset !== undefined && config.type !== "time") {
    problems.add([...at, "zoneOffset"], "zoneOffset has an effect only on type time");
  }
  if (config.value !== undefined) return constantEntry(config, at, problems);
  const source = compileSource(config, at, context);
  if (config.type === "time") return timeEntry(target, config, source, at, context);
  const convert = compileConvert(config, at, problems);
  const { get, paths } = source;
  if (convert === undefined)
    return {
      paths,
      read: get,
      isLineText: config.template === undefined,
      copyable: copyableOf(config),
      readOffset: undefined,
    };
  const refused = onRefusal(config, source);
  const read: ReadTarget = (values, places) => {
    const value = get(values, places);
    if (value === undefined) return undefined;
    const converted = convert(value);
    return converted instanceof Refusal ? refused(converted) : converted;
  };
  return { paths, read, isLineText: false, copyable: undefined, readOffset: undefined };
}

/** Returns undefined for dotted paths, which may select a part of a field. */
function copyableOf({ from, template }: EntryConfig): Copyable | undefined {
  if (template === undefined) return from === undefined || from.includes(".") ? undefined : { field: from };
  const pieces = splitTemplate(template);
  if (typeof pieces === "string") return undefined;
  return pieces.some((piece) => typeof piece !== "string" && piece.path.includes("."))
    ? undefined
    : { pieces };
}

function onRefusal(config: EntryConfig, { name }: Source): (refusal: Refusal) => Refusal | undefined {
  if (config.onInvalid === "drop") return () => undefined;
  return (refusal) => refuse(refusal.reason, `${name}: ${refusal.message}`);
}

function constantEntry(config: EntryConfig, at: ConfigPath, problems: Problems): Entry {
  if (config.type !== undefined)
    problems.add([...at, "type"], "a constant takes no type: write the value itself");
  const value = config.value ?? undefined;
  return {
    paths: [],
    read: () => value,
    isLineText: false,
    copyable: { constant: value },
    readOffset: undefined,
  };
}

function compileSource(
  config: EntryConfig,
  at: ConfigPath,
  { isNull, problems, slots: table }: EntryContext,
): Source {
  if (config.template !== undefined) {
    const template = compileTemplate(config.template, isNull, table);
    if (typeof template !== "string") {
      return { name: `template ${quoteText(config.template)}`, paths: template.paths, get: template.render };
    }
    problems.add([...at, "template"], template);
  }
  const path = config.from;
  if (path === undefined) return { name: "", paths: [], get: () => undefined };
  const getAny = compilePath(path, table);
  const get: GetValue = (values, places) => {
    const value = getAny(values, places);
    return isNull(value) ? undefined : value;
  };
  return { name: path, paths: [path], get };
}

function timeEntry(
  target: string,
  config: EntryConfig,
  source: Source,
  at: ConfigPath,
  context: EntryContext,
): Entry {
  const zone = config.zone ?? context.zone;
  const outputZone = config.outputZone ?? context.outputZone;
  const readTime = compileTime(
    { format: config.format, zone, outputZone },
    context.now,
    at,
    context.problems,
  );
  const refused = onRefusal(config, source);
  const { get, paths } = source;
  const read: ReadTarget = (values, places) => {
    const value = get(values, places);
    if (value === undefined) return undefined;
    const time = readTime(value);
    return time instanceof Refusal ? refused(time) : time.text;
  };
  const wanted = config.zoneOffset ?? target === "#time";
  return {
    paths,
    read,
    isLineText: true,
    copyable: undefined,
    readOffset: wanted ? offsetReader(get, readTime) : undefined,
  };
}

function offsetReader(get: GetValue, readTime: ReadTimeValue): ReadTarget {
  return (values, places) => {
    const value = get(values, places);
    const time = value === undefined ? undefined : readTime(value);
    return time === undefined || time instanceof Refusal ? undefined : time.offsetHours;
  };
}
