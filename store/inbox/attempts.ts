import { asBuffer } from "../../base/json/utf8.ts";
import { cutUtf8 } from "../../base/text/cut.ts";
import { decodeIndexes, encodeIndexes } from "./index-set.ts";

/** An attempt of some elements: one call of a target, or a part of it with the same outcome. */
export interface AttemptRecord {
  /** 0-based indexes of the elements. */
  readonly indexes: readonly number[];
  /** Milliseconds since 1970; of a consumer elsewhere, the time of its result. */
  readonly startedAtMs: number;
  /** Null for a consumer elsewhere, whose call is not seen. */
  readonly durationMs: number | null;
  readonly outcome: AttemptOutcome;
  /** Null when the elements are delivered. */
  readonly reason: string | null;
  /** The status of the target's response; null for targets without one. */
  readonly status: number | null;
  /** The beginning of the target's answer; null when there is none, or it was not kept. */
  readonly answer: string | null;
}

export type AttemptOutcome = "done" | "retry" | "dead";

/** An attempt of one element at one target. */
export interface Attempt extends Omit<AttemptRecord, "indexes"> {
  /** 1 for the first since the acceptance or the last replay. */
  readonly attempt: number;
  /** Whether a replay has followed, so that `attempt` has begun again with 1. */
  readonly isBeforeReplay: boolean;
}

/** The number of attempts kept of each element at each target, since its acceptance or its last replay. */
export const maxKeptAttempts = 20;
/** The bytes kept of an answer and of a reason. */
export const maxAnswerBytes = 1_024;
/** The characters of texts kept of the attempts which one commit settles; further answers are not kept. */
const maxTextCharacters = 65_536;

const outcomes: readonly AttemptOutcome[] = ["done", "retry", "dead"];

type EncodedAttempt = readonly [
  indexes: string,
  startedAtMs: number,
  durationMs: number | null,
  outcome: number,
  reason: number | null,
  status: number | null,
  answer: number | null,
];

/**
 * Encodes attempts as JSON: their texts, each once since most answers are the same, then one array for
 * each attempt. Returns null when there are none.
 */
export function encodeAttempts(records: readonly AttemptRecord[] | undefined): string | null {
  if (records === undefined || records.length === 0) return null;
  const texts = new Map<string, number>();
  let characters = 0;
  const place = (text: string | null): number | null => {
    if (text === null) return null;
    const short = cutToBytes(text, maxAnswerBytes);
    const known = texts.get(short);
    if (known !== undefined) return known;
    if (characters + short.length > maxTextCharacters) return null;
    characters += short.length;
    texts.set(short, texts.size);
    return texts.size - 1;
  };
  const attempts = records.map(
    (record): EncodedAttempt => [
      encodeIndexes(record.indexes),
      Math.round(record.startedAtMs),
      record.durationMs === null ? null : Math.round(record.durationMs * 10) / 10,
      outcomes.indexOf(record.outcome),
      place(record.reason),
      record.status,
      place(record.answer),
    ],
  );
  return JSON.stringify([[...texts.keys()], attempts]);
}

/** Decodes what `encodeAttempts` returns; returns an empty list for a damaged text. */
export function decodeAttempts(content: string): readonly AttemptRecord[] {
  try {
    const [texts, attempts] = JSON.parse(content) as [readonly string[], readonly EncodedAttempt[]];
    const textAt = (at: number | null): string | null => (at === null ? null : String(texts[at]));
    return attempts.map(([indexes, startedAtMs, durationMs, outcome, reason, status, answer]) => ({
      indexes: decodeIndexes(indexes),
      startedAtMs: Number(startedAtMs),
      durationMs: durationMs === null ? null : Number(durationMs),
      outcome: outcomes[outcome]!,
      reason: textAt(reason),
      status: status === null ? null : Number(status),
      answer: textAt(answer),
    }));
  } catch {
    return [];
  }
}

/** Cuts a text to a number of bytes of UTF-8. */
function cutToBytes(text: string, maxBytes: number): string {
  // A unit of UTF-16 takes at most three bytes.
  return text.length * 3 <= maxBytes ? text : asBuffer(cutUtf8(Buffer.from(text), maxBytes)).toString();
}
