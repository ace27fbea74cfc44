import { hash } from "node:crypto";
import { type DescMessage, type Message, toBinary } from "@bufbuild/protobuf";

/** What the result of a query depends on in addition to its message. */
export interface KeyParts {
  readonly operation: string;
  /** Version of the engine's data; undefined where it is unknown. */
  readonly version: number | undefined;
  /** Number of imports of cohorts of the project. */
  readonly imports: number;
  readonly nowMs: number;
  /** Warning about records that are not loaded. */
  readonly lateness?: string | undefined;
  /** Body and parameters of a REST call that an engine may forward unchanged. */
  readonly rest: { readonly body: Uint8Array; readonly search: URLSearchParams } | undefined;
}

/**
 * Days begin at a quarter of an hour in every zone, so "today" does not change within one.
 */
const slotMs = 15 * 60_000;

/** Returns the key of a query: queries with the same key have the same result. The time limit and `useCache` are not part of it. */
export function keyOf(desc: DescMessage, query: Message, parts: KeyParts): string {
  const { operation, version, imports, nowMs, lateness = "", rest } = parts;
  const bytes = toBinary(desc, { ...query, timeoutSeconds: undefined, useCache: undefined } as Message);
  const slot = Math.floor(nowMs / slotMs);
  const passedOn = rest === undefined ? "" : `${rest.search} ${hash("sha256", rest.body, "base64url")}`;
  return [operation, version, imports, slot, lateness, hash("sha256", bytes, "base64url"), passedOn].join(
    " ",
  );
}
