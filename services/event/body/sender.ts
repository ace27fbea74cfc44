import { colon, quote } from "../../../base/json/bytes.ts";
import { JsonCursor } from "../../../base/json/cursor.ts";
import { LongBodyFault } from "../ingest/body-fault.ts";
import type { Project, ProjectDirectory } from "../projects.ts";
import { type RequestData, unpack } from "./request-data.ts";

/** The sender of a body: a project, or unknown, perhaps because only a part of the body was searched. */
export type Sender = Project | "unknown" | { readonly isUnknownWithin: number };

/** The bytes to which the body of an unknown sender is inflated, at least and at most. */
const minBytes = 65_536;
const maxBytes = 1_048_576;
/** Inflated bytes for each byte that was sent. Records of one sender are alike, so 10 to 15 are common. */
const maxRatio = 16;
/** The bytes at each end of a body that are searched: `#app_id` is before the records or after them. */
const windowBytes = 65_536;
const maxNames = 100;
const maxAppidBytes = 256;
const key = Buffer.from('"#app_id"');

/**
 * Finds the sender of a body at a small cost: by a parameter of its form, or else
 * by `#app_id` beside `data`, for which a bounded part is inflated and searched.
 * The search only finds out that a known app id is in the body.
 * @throws BodyFault for a body that can't be unpacked
 */
export async function findSender(
  request: RequestData,
  directory: Pick<ProjectDirectory, "byAppid">,
  maxInflatedBytes: number,
): Promise<Sender> {
  const named = request.fields?.get("appid");
  if (named !== undefined) {
    return named.length <= maxAppidBytes ? (directory.byAppid(named.toString()) ?? "unknown") : "unknown";
  }
  const limit = Math.min(
    maxInflatedBytes,
    Math.max(minBytes, Math.min(maxBytes, request.data.length * maxRatio)),
  );
  try {
    const { bytes } = await unpack(request, limit);
    return findAppid(bytes, directory) ?? "unknown";
  } catch (error) {
    if (error instanceof LongBodyFault && limit < maxInflatedBytes) return { isUnknownWithin: limit };
    throw error;
  }
}

function findAppid(bytes: Buffer, directory: Pick<ProjectDirectory, "byAppid">): Project | undefined {
  if (bytes.length <= 2 * windowBytes) return findIn(bytes, directory);
  return findIn(bytes.subarray(-windowBytes), directory) ?? findIn(bytes.subarray(0, windowBytes), directory);
}

/** It tries every key of this name, because records may have it too. */
function findIn(bytes: Buffer, directory: Pick<ProjectDirectory, "byAppid">): Project | undefined {
  let at = bytes.indexOf(key);
  for (let names = 0; at !== -1 && names < maxNames; names++) {
    const name = textAfterKey(bytes, at + key.length);
    const project = name === undefined ? undefined : directory.byAppid(name);
    if (project !== undefined) return project;
    at = bytes.indexOf(key, at + key.length);
  }
  return undefined;
}

function textAfterKey(bytes: Buffer, from: number): string | undefined {
  const cursor = new JsonCursor(bytes, 0);
  cursor.at = from;
  if (cursor.next() !== colon) return undefined;
  cursor.at++;
  if (cursor.next() !== quote) return undefined;
  const text = bytes.subarray(cursor.at, cursor.at + maxAppidBytes);
  const value = new JsonCursor(text, 0);
  return value.scan() === "end" ? (JSON.parse(text.toString("utf8", 0, value.at)) as string) : undefined;
}
