import { colon, quote } from "../../../base/json/bytes.ts";
import { JsonCursor } from "../../../base/json/cursor.ts";
import { LongBodyFault } from "../ingest/body-fault.ts";
import type { Project, ProjectDirectory } from "../projects.ts";
import { type Payload, unpack } from "./payload.ts";

/** Who sends a body: a project, or nobody who is known and why. */
export type Sender = Project | "unknown" | { readonly isUnknownWithin: number };

/** What a stranger's body is inflated to at least, and at most. */
const minBytes = 65_536;
const maxBytes = 1_048_576;
/** Of what is inflated for what was sent; records of one sender are alike, so that 10 to 15 are common. */
const maxRatio = 16;
/** Looked through at either end of a body: `#app_id` stands before the records or after them. */
const windowBytes = 65_536;
const maxNames = 100;
const maxAppidBytes = 256;
const key = Buffer.from('"#app_id"');

/**
 * Whose body it is, at a small cost: a parameter of its form, or else `#app_id`
 * beside `data`, for which a bounded part is inflated and looked through. The
 * latter only tells that a known app id is there.
 * @throws BodyFault for a body that can't be unpacked
 */
export async function findSender(
  payload: Payload,
  directory: Pick<ProjectDirectory, "byAppid">,
  maxInflatedBytes: number,
): Promise<Sender> {
  const named = payload.fields?.get("appid");
  if (named !== undefined) {
    return named.length <= maxAppidBytes ? (directory.byAppid(named.toString()) ?? "unknown") : "unknown";
  }
  const limit = Math.min(
    maxInflatedBytes,
    Math.max(minBytes, Math.min(maxBytes, payload.data.length * maxRatio)),
  );
  try {
    return findAppid(await unpack(payload, limit), directory) ?? "unknown";
  } catch (error) {
    if (error instanceof LongBodyFault && limit < maxInflatedBytes) return { isUnknownWithin: limit };
    throw error;
  }
}

function findAppid(bytes: Buffer, directory: Pick<ProjectDirectory, "byAppid">): Project | undefined {
  if (bytes.length <= 2 * windowBytes) return findIn(bytes, directory);
  return findIn(bytes.subarray(-windowBytes), directory) ?? findIn(bytes.subarray(0, windowBytes), directory);
}

/** Records may have the key, too. */
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
