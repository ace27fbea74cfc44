import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import type { RecordPlace } from "./records.ts";

const name = "forward.json";

/** The saved position of a forwarder. */
export interface ForwardCursor {
  /**
   * Loads the last saved position, or undefined before the first.
   * @throws CursorFault when it can't be used
   */
  load(): Promise<RecordPlace | undefined>;
  /** Saves the position, so that a crash at any moment leaves either the old or the new one. */
  save(place: RecordPlace): Promise<void>;
}

/** The saved position can't be used, so all remaining records are forwarded, some of them again. */
export class CursorFault extends Error {
  override readonly name = "CursorFault";
}

/** Saves the position as `forward.json` in a folder. */
export function createFileCursor(folder: string): ForwardCursor {
  return { load: () => loadCursor(folder), save: (place) => saveCursor(folder, place) };
}

async function loadCursor(folder: string): Promise<RecordPlace | undefined> {
  const path = join(folder, name);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const position = parse(text);
  if (position !== undefined) return position;
  throw new CursorFault(`${path} holds no position, so all records in the spool are sent again`);
}

async function saveCursor(folder: string, { number, offset }: RecordPlace): Promise<void> {
  const path = join(folder, name);
  const draft = await open(`${path}.new`, "w", 0o600);
  try {
    await draft.writeFile(`${JSON.stringify({ number, offset })}\n`);
    await draft.datasync();
  } finally {
    await draft.close();
  }
  await rename(`${path}.new`, path);
  const parent = await open(folder, "r");
  try {
    await parent.sync();
  } finally {
    await parent.close();
  }
}

function parse(text: string): RecordPlace | undefined {
  try {
    const { number, offset } = JSON.parse(text) as Record<string, unknown>;
    return isCount(number) && isCount(offset) && number > 0 ? { number, offset } : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
