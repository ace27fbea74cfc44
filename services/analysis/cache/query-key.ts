import { hash } from "node:crypto";
import { type DescMessage, type Message, toBinary } from "@bufbuild/protobuf";

/** What decides about the outcome of a query besides its message. */
export interface QueryCircumstances {
  readonly operation: string;
  /** Of the engine's data; undefined where nobody knows it. */
  readonly version: number | undefined;
  /** How often cohorts of the project were imported. */
  readonly imports: number;
  readonly nowMs: number;
  /** What is told of records that are not loaded. */
  readonly lateness?: string | undefined;
  /** Of a call over REST that an engine may pass on as it came. */
  readonly rest: { readonly body: Uint8Array; readonly search: URLSearchParams } | undefined;
}

/**
 * Days begin on a quarter of an hour in every zone, so within one "today" stays
 * what it is.
 */
const slotMs = 15 * 60_000;

/** Queries with the same key have the same outcome. How long a caller waits and whether it wants a kept answer are no part of it. */
export function keyOf(desc: DescMessage, query: Message, circumstances: QueryCircumstances): string {
  const { operation, version, imports, nowMs, lateness = "", rest } = circumstances;
  const bytes = toBinary(desc, { ...query, timeoutSeconds: undefined, useCache: undefined } as Message);
  const slot = Math.floor(nowMs / slotMs);
  const passedOn = rest === undefined ? "" : `${rest.search} ${hash("sha256", rest.body, "base64url")}`;
  return [operation, version, imports, slot, lateness, hash("sha256", bytes, "base64url"), passedOn].join(
    " ",
  );
}
