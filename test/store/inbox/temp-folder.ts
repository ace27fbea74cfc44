import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempFolder extends AsyncDisposable {
  readonly path: string;
}

export async function openTempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), "inbox-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
