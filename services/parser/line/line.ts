import type { ByteSink, Bytes } from "../output/byte-sink.ts";

/** Every cause for which a line yields no record. Used as metric label and in dead letters, so never renamed. */
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

/** Why a line has no record. The message names the field and quotes the value (clipped). */
export interface LineFailure {
  readonly failed: true;
  readonly reason: FailureReason;
  readonly message: string;
}

/**
 * One line, already without its line end, to its records, each one line of JSON text.
 * An empty array: nothing to report. Never throws.
 */
export type ParseLine = (line: string, index: string) => readonly string[] | LineFailure;

export interface Format {
  readonly name: string;
  readonly parseLine: ParseLine;
  /** A faster way to the same records, by which the lines of a batch are tried first; `parseLine` is for others. */
  readonly copied?: { readonly copyLine: CopyLine; readonly parseLine: ParseLine } | undefined;
}

/**
 * Writes the one record of a line, which is that part of `bytes`, without making texts of it. The bytes must be UTF-8.
 * `openSink` is called when a record is to be expected. False when the line has to be parsed; what was written then
 * is to be forgotten.
 */
export type CopyLine = (bytes: Bytes, start: number, end: number, openSink: OpenSink) => boolean;

export type OpenSink = () => ByteSink;

/**
 * A failure inside the rules. A class, because the data of a line may itself be `{"failed":true}` and
 * must never be taken for one.
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

/** Tells the two results of a ParseLine apart, also after a structured clone between threads. */
export function isFailure(result: readonly string[] | LineFailure): result is LineFailure {
  return !Array.isArray(result);
}
