import { quoteText } from "../../../base/text/quote.ts";
import type { ParserConfig } from "../config.ts";
import { type Format, type LineFailure, type ParseLine, Refusal, refuse } from "../line/line.ts";
import type { Copier } from "../mapping/copy/copy.ts";
import { compileMapping, type MapFields } from "../mapping/mapping.ts";
import { type ConfigPath, type ConfigProblem, createProblems, type Problems } from "../mapping/problems.ts";
import { createAccessLogReader } from "./access-log.ts";
import type { FormatConfig, MappedFormatConfig } from "./config.ts";
import { createDelimitedReader } from "./delimited.ts";
import type { FieldReader, ReadLine } from "./field-reader.ts";
import { compileIndexPattern, type MatchesIndex } from "./index-pattern.ts";
import { createJsonReader } from "./json.ts";
import { createLogfmtReader } from "./logfmt.ts";
import { openModule } from "./module.ts";
import { createPassThrough } from "./pass-through.ts";
import { createRegexReader } from "./regex.ts";
import { createSyslogReader } from "./syslog.ts";
import { compileUnwrap } from "./unwrap.ts";

export interface OpenFormatsOptions {
  /** Clock in ms since 1970, used only for times without a year. */
  readonly now?: () => number;
}

export interface Formats {
  /** The first format whose pattern matches. */
  readonly formatFor: (index: string) => Format | undefined;
  readonly formatNamed: (name: string) => Format | undefined;
  readonly problems: readonly ConfigProblem[];
}

interface Context {
  readonly problems: Problems;
  readonly now: () => number;
}

/**
 * Compiles all formats, loads modules of the user and collects all problems.
 *
 * Each format has a file of its own that reads the fields of a line (`FieldReader`); `pass-through.ts` and `module.ts`
 * return records instead. `index-pattern.ts` selects the format of an index, `unwrap.ts` takes a line out of the JSON
 * of a container log, `tokens.ts` has what several formats read, `config.ts` the schemas. To add a format, write its
 * file, its schema and its case in `createReader`.
 */
export async function openFormats(config: ParserConfig, options: OpenFormatsOptions = {}): Promise<Formats> {
  const problems = createProblems();
  const context: Context = { problems, now: options.now ?? Date.now };
  const routes: Route[] = [];
  for (const [number, format] of config.formats.entries()) {
    const at = ["formats", number];
    const first = config.formats.findIndex(({ name }) => name === format.name);
    if (first !== number)
      problems.add([...at, "name"], `${quoteText(format.name)} is also the name of format ${first + 1}`);
    const patterns = format.index.map((pattern, index) =>
      compileIndexPattern(pattern, [...at, "index", index], problems),
    );
    routes.push({ patterns, format: await openFormat(format, at, context) });
  }
  return {
    formatFor: createLookup(routes),
    formatNamed: (name) => routes.find(({ format }) => format.name === name)?.format,
    problems: problems.list,
  };
}

interface Route {
  readonly patterns: readonly MatchesIndex[];
  readonly format: Format;
}

/** Most indexes that are cached, and their longest length: indexes come from callers, so memory must be bounded. */
const maxNames = 4096;
const maxNameLength = 1024;

function createLookup(routes: readonly Route[]): (index: string) => Format | undefined {
  const known = new Map<string, Format | undefined>();
  return (index) => {
    const remembered = known.get(index);
    if (remembered !== undefined || known.has(index)) return remembered;
    const format = routes.find(({ patterns }) => patterns.some((matches) => matches(index)))?.format;
    if (index.length <= maxNameLength) {
      if (known.size >= maxNames) known.clear();
      known.set(index, format);
    }
    return format;
  };
}

async function openFormat(config: FormatConfig, at: ConfigPath, context: Context): Promise<Format> {
  const { name, unwrap } = config;
  const { parse, copier, read } = await openParse(config, at, context);
  const parseLine = guard(copier === undefined ? parse : copyOrParse(copier, parse), config);
  const readFields = read && guard(read, config);
  if (copier === undefined || unwrap !== undefined) return { name, parseLine, readFields };
  const { copyLine, mayAdd } = copier;
  return { name, parseLine, readFields, copied: { copyLine, mayAdd, parseLine: guard(parse, config) } };
}

interface OpenedParse {
  readonly parse: ParseLine;
  readonly copier?: Copier | undefined;
  readonly read?: ReadLine | undefined;
}

async function openParse(format: FormatConfig, at: ConfigPath, context: Context): Promise<OpenedParse> {
  if (format.type === "pass_through") return { parse: createPassThrough(format.check) };
  if (format.type === "module")
    return { parse: await openModule(format.module, [...at, "module"], context.problems) };
  const { problems, now } = context;
  const defaultNulls = format.type === "json" ? [] : [""];
  const reader = createReader(format, format.nulls ?? defaultNulls, at, context);
  const { knownFields } = reader;
  const mapping = compileMapping(format, {
    at,
    problems,
    now,
    knownFields,
    defaultNulls,
    refusesMissingId: true,
  });
  const parse = createParse(reader, mapping.map, format.type === "json");
  return {
    parse,
    read: reader.read,
    copier: format.type === "json" && format.records === undefined ? mapping.copier : undefined,
  };
}

function createReader(
  format: MappedFormatConfig,
  nulls: readonly string[],
  at: ConfigPath,
  { problems, now }: Context,
): FieldReader {
  switch (format.type) {
    case "json":
      return createJsonReader(format);
    case "delimited":
      return createDelimitedReader(format, { at, problems, now, nulls });
    case "regex":
      return createRegexReader(format, at, problems);
    case "logfmt":
      return createLogfmtReader();
    case "access_log":
      return createAccessLogReader();
    case "syslog":
      return createSyslogReader();
  }
}

/** Returns no records for a line with one bad record, so that replaying the dead letter repeats no other record. */
function createParse({ read }: FieldReader, map: MapFields, isJson: boolean): ParseLine {
  return (line) => {
    const found = read(line);
    if (found instanceof Refusal) return found;
    const plain = isJson && !line.includes("\\");
    const records: string[] = [];
    for (const fields of found) {
      const record = map(fields, plain);
      if (record instanceof Refusal) return record;
      records.push(record);
    }
    return records;
  };
}

function copyOrParse({ mapLine }: Copier, parse: ParseLine): ParseLine {
  return (line, index) => {
    const record = mapLine(line);
    return record === undefined ? parse(line, index) : [record];
  };
}

type Guarded<T> = (line: string, index: string) => T | LineFailure;

const byteOrderMark = 0xfeff;

/** Applies the rules of every format: empty lines and `null` are refused, a wrapper is removed, nothing is thrown. */
function guard<T>(parse: Guarded<T>, { unwrap }: FormatConfig): Guarded<T> {
  const takeOut = unwrap === undefined ? undefined : compileUnwrap(unwrap.key);
  const parseInner: Guarded<T> = (line, index) => {
    if (isNothing(line))
      return refuse("empty_line", line.trim() === "" ? "the line is empty" : "the line is null");
    return parse(withoutByteOrderMark(line), index);
  };
  return (line, index) => {
    try {
      const inner = takeOut === undefined || isNothing(line) ? line : takeOut(withoutByteOrderMark(line));
      return inner instanceof Refusal ? inner : parseInner(inner, index);
    } catch (error) {
      return refuseError(error);
    }
  };
}

function withoutByteOrderMark(line: string): string {
  return line.charCodeAt(0) === byteOrderMark ? line.slice(1) : line;
}

/** Reports whether a line is empty or `null`; only lines that start with a space or with n are trimmed. */
function isNothing(line: string): boolean {
  const first = line.charCodeAt(0);
  if (first > 32 && first !== 110 && first !== byteOrderMark) return false;
  const text = line.trim();
  return text === "" || text === "null";
}

function refuseError(error: unknown): Refusal {
  if (!(error instanceof RangeError))
    return refuse("internal_error", error instanceof Error ? error.message : "unknown");
  const tooDeep = error.message.includes("call stack");
  return tooDeep
    ? refuse("invalid_json", "lists or objects are nested too deeply")
    : refuse("invalid_value", error.message);
}
