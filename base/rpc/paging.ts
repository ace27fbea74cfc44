import { createHash } from "node:crypto";
import { InvalidFieldsError, refuseField } from "./invalid-fields.ts";

/** The sizes of the pages of a list. */
export interface PageSizes {
  readonly standard: number;
  readonly max: number;
}

const usualSizes: PageSizes = { standard: 100, max: 1_000 };

export interface PageFields {
  readonly pageSize: number;
  readonly pageToken: string;
}

/** A page of a list, as a store reads it. */
export interface Page {
  readonly limit: number;
  /** The cursor that the store returned with the page before; absent for the first page. */
  readonly after?: string;
}

/**
 * The page that a request asks for. A token is valid only for the list and the
 * filter that it was returned for.
 * @param list names the list and its filter
 * @throws InvalidFieldsError
 */
export function readPage({ pageSize, pageToken }: PageFields, list: unknown, sizes = usualSizes): Page {
  if (pageSize < 0 || pageSize > sizes.max) {
    refuseField("page_size", `is ${pageSize}, valid are 1 to ${sizes.max}, or 0 for ${sizes.standard}`);
  }
  const limit = pageSize === 0 ? sizes.standard : pageSize;
  if (pageToken === "") return { limit };
  const [mark, ...after] = Buffer.from(pageToken, "base64url").toString("utf8").split(" ");
  if (mark !== markOf(list)) throw foreignPageToken();
  return { limit, after: after.join(" ") };
}

/** @param next the store's cursor of the next page; null writes an empty token, because this page is the last */
export function writePageToken(next: string | null, list: unknown): string {
  return next === null ? "" : Buffer.from(`${markOf(list)} ${next}`).toString("base64url");
}

/** Where work in parts continues, and when its first part began. */
export interface BegunWork {
  /** Milliseconds since 1970; what has appeared since is left out of all parts. */
  readonly startMs: number;
  readonly place: string | undefined;
}

/** Reads the cursor of a page of work in parts. @throws InvalidFieldsError */
export function readBegunWork(after: string | undefined, nowMs: number): BegunWork {
  if (after === undefined) return { startMs: nowMs + 1, place: undefined };
  const [, startMs, place] = /^(\d{1,15}) (.+)$/.exec(after) ?? [];
  if (startMs === undefined) throw foreignPageToken();
  return { startMs: Number(startMs), place };
}

/** @param next the store's cursor of the next part; null: there is none */
export function writeBegunWork({ startMs }: BegunWork, next: string | null): string | null {
  return next === null ? null : `${startMs} ${next}`;
}

/** The token is from another list, or the store does not know its cursor. */
export function foreignPageToken(): InvalidFieldsError {
  const problem = "is not one of this list with this filter, begin again without it";
  return new InvalidFieldsError([{ field: "page_token", description: problem }]);
}

function markOf(list: unknown): string {
  return createHash("sha256").update(JSON.stringify(list)).digest("base64url").slice(0, 12);
}
