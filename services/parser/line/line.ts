import type { ByteSink, Bytes } from "../../../base/bytes/byte-sink.ts";

/** Reasons why a line has no record. They are metric labels and stand in dead letters, so they are never renamed. */
export const failureReasons = [
  "no_index",
  "no_format",
  "empty_line",
  "line_too_long",
  "invalid_utf8",
  "invalid_json",
  "not_an_object",
  "column_count",
  "no_match",
  "missing_key",
  "missing_id",
  "invalid_value",
  "separator_in_record",
  "module_error",
  "internal_error",
] as const;

export type FailureReason = (typeof failureReasons)[number];

/** The reason why a line has no record. The message names the field and quotes the value, shortened. */
export interface LineFailure {
  readonly failed: true;
  readonly reason: FailureReason;
  readonly message: string;
}

/**
 * Parses one line, without its line end, to its records, each one line of JSON text. An empty array means that there
 * is nothing to report. Never throws.
 */
export type ParseLine = (line: string, index: string) => readonly string[] | LineFailure;

/** Reads the fields of a line, one element for each record. Never throws. */
export type ReadFields = (
  line: string,
  index: string,
) => readonly Readonly<Record<string, unknown>>[] | LineFailure;

export interface Format {
  readonly name: string;
  readonly parseLine: ParseLine;
  /** Reads the fields that `parseLine` maps; undefined for formats without fields. */
  readonly readFields?: ReadFields | undefined;
  readonly copied?: LineCopying | undefined;
}

/** Copies lines of a batch to the records of their format, faster. */
export interface LineCopying {
  readonly copyLine: CopyLine;
  /** Parses lines that could not be copied. */
  readonly parseLine: ParseLine;
  /** Reports whether a text in a record may have this part where no text of the line has it. */
  readonly mayAdd: (part: string) => boolean;
}

/**
 * Writes the one record of a line, which is a part of `bytes`, without creating strings. The bytes must be UTF-8.
 * Calls `openSink` before it writes. Returns false when the line has to be parsed; the caller then removes what was
 * written.
 */
export type CopyLine = (bytes: Bytes, start: number, end: number, openSink: OpenSink) => boolean;

export type OpenSink = () => ByteSink;

/**
 * A failure as the rules return it. It is a class because the data of a line may itself be `{"failed":true}`.
 */
export class Refusal implements LineFailure {
  readonly failed = true;
  readonly reason: FailureReason;
  readonly message: string;

  constructor(reason: FailureReason, message: string) {
    this.reason = reason;
    this.message = message;
  }
}

export function refuse(reason: FailureReason, message: string): Refusal {
  return new Refusal(reason, message);
}

/** Reports whether a result is a failure, also after a structured clone between threads. */
export function isFailure(result: readonly unknown[] | LineFailure): result is LineFailure {
  return !Array.isArray(result);
}
