import { quote, Refusal, refuse } from "../line.ts";
import type { EntryConfig } from "./config.ts";
import { checkTypeKeys, compileConvert } from "./convert.ts";
import { writeJson } from "./json.ts";
import { compilePath, type Fields, type GetField } from "./path.ts";
import type { ConfigPath, Problems } from "./problems.ts";
import { compileTemplate } from "./template.ts";
import { compileTime, type ReadTimeValue } from "./time.ts";

/** The JSON text of one target; "" leaves it out. `plain`: see writeJson. */
export type Write = (fields: Fields, plain: boolean) => string | Refusal;

/** A compiled mapping entry. */
export interface Entry {
  /** Source fields it reads, for messages and for `rest`. */
  readonly paths: readonly string[];
  readonly write: Write;
  /** Hours east of UTC of a time, when it is to be written. */
  readonly writeOffset: Write | undefined;
}

export interface EntryContext {
  readonly zone: string | undefined;
  readonly outputZone: string | undefined;
  readonly isNull: (value: unknown) => boolean;
  readonly now: () => number;
  readonly problems: Problems;
}

interface Source {
  readonly name: string;
  readonly paths: readonly string[];
  readonly get: GetField;
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
    problems.add([...at, "zoneOffset"], "zoneOffset means something only for type time");
  }
  if (config.value !== undefined) return constantEntry(config, at, problems);
  const source = compileSource(config, at, context);
  if (config.type === "time") return timeEntry(target, config, source, at, context);
  const convert = compileConvert(config, at, problems);
  const { get, paths, name } = source;
  const { isNull } = context;
  const drop = config.onInvalid === "drop";
  // A template's own text may need escaping.
  const isOfLine = config.template === undefined;
  const write: Write =
    convert === undefined
      ? (fields, plain) => {
          const value = get(fields);
          return isNull(value) ? "" : writeJson(value, plain && isOfLine);
        }
      : (fields, plain) => {
          const value = get(fields);
          if (isNull(value)) return "";
          const converted = convert(value);
          if (converted instanceof Refusal) return drop ? "" : named(name, converted);
          return writeJson(converted, plain && isOfLine && converted === value);
        };
  return { paths, write, writeOffset: undefined };
}

function named(name: string, refusal: Refusal): Refusal {
  return refuse(refusal.reason, `${name}: ${refusal.message}`);
}

function constantEntry(config: EntryConfig, at: ConfigPath, problems: Problems): Entry {
  if (config.type !== undefined)
    problems.add([...at, "type"], "a constant has no type, write the value as it is meant");
  const text = config.value === null ? "" : JSON.stringify(config.value);
  return { paths: [], write: () => text, writeOffset: undefined };
}

function compileSource(config: EntryConfig, at: ConfigPath, context: EntryContext): Source {
  if (config.template === undefined) {
    const path = config.from ?? "";
    return { name: path, paths: [path], get: compilePath(path) };
  }
  const template = compileTemplate(config.template, context.isNull);
  if (typeof template === "string") {
    context.problems.add([...at, "template"], template);
    return { name: "template", paths: [], get: () => undefined };
  }
  return { name: `template ${quote(config.template)}`, paths: template.paths, get: template.render };
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
  const read = compileTime({ format: config.format, zone, outputZone }, context.now, at, context.problems);
  const { get, name } = source;
  const drop = config.onInvalid === "drop";
  const write: Write = (fields) => {
    const value = get(fields);
    if (context.isNull(value)) return "";
    const time = read(value);
    if (time instanceof Refusal) return drop ? "" : named(name, time);
    return `"${time.text}"`;
  };
  const wanted = config.zoneOffset ?? target === "#time";
  return { paths: source.paths, write, writeOffset: wanted ? offsetWriter(get, read, context) : undefined };
}

function offsetWriter(get: GetField, read: ReadTimeValue, context: EntryContext): Write {
  return (fields) => {
    const value = get(fields);
    if (context.isNull(value)) return "";
    const time = read(value);
    return time instanceof Refusal || time.offsetHours === undefined ? "" : `${time.offsetHours}`;
  };
}
