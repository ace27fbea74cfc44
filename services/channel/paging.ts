import { createHash } from "node:crypto";
import type { PageRequest } from "../../store/channels/channels.ts";
import { foreignPageToken, refuseField } from "./refusals.ts";

const defaultPageSize = 100;
const maxPageSize = 1_000;

interface PageFields {
  readonly pageSize: number;
  readonly pageToken: string;
}

/**
 * The page of a list that is asked for. A token belongs to the list and filter
 * it was given for.
 * @param list names the list and its filter
 * @throws InvalidFieldsError
 */
export function readPage({ pageSize, pageToken }: PageFields, list: readonly string[]): PageRequest {
  if (pageSize < 0 || pageSize > maxPageSize) {
    refuseField("page_size", `is ${pageSize}, valid are 1 to ${maxPageSize}, or 0 for ${defaultPageSize}`);
  }
  const limit = pageSize === 0 ? defaultPageSize : pageSize;
  if (pageToken === "") return { limit };
  const [mark, ...after] = Buffer.from(pageToken, "base64url").toString("utf8").split(" ");
  if (mark !== markOf(list)) throw foreignPageToken();
  return { limit, after: after.join(" ") };
}

/** Empty: there is no next page. */
export function writePageToken(next: string | null, list: readonly string[]): string {
  return next === null ? "" : Buffer.from(`${markOf(list)} ${next}`).toString("base64url");
}

function markOf(list: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(list)).digest("base64url").slice(0, 12);
}
