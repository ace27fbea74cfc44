import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { createPreparer, type Preparer } from "../../../../services/event/load/prepare.ts";
import type { PreparedBatch, PrepareStart } from "../../../../services/event/load/prepared.ts";
import { encodeSpoolLine } from "../../../../services/event/spool-line.ts";
import { emptySchema, type ProjectSchema } from "../../../../store/events/events.ts";
import type { Intake } from "../../../../store/intake/intake.ts";
import { openSqliteIntake } from "../../../../store/intake/sqlite/open.ts";

export let folder = "";
let intake: Intake;
export let preparer: Preparer;
let at = { number: 1, offset: 0 };
export const receivedMs = Date.UTC(2026, 0, 2);

export async function start(
  schema: ProjectSchema = emptySchema,
  limits: Pick<PrepareStart, "maxProperties" | "names"> = {},
): Promise<void> {
  await preparer.reset({
    loadedTo: undefined,
    ...limits,
    projects: new Map([
      [1, { schema, zone: "+00:00" }],
      [2, { schema: emptySchema, zone: "+08:00" }],
    ]),
  });
}

/** Makes the next lines the first ones of the spool. */
export function rewind(): void {
  at = { number: 1, offset: 0 };
}

/** Opens a preparer with a folder and an intake of its own for each test of the file. */
export function usePreparer(): void {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "prepare-"));
    intake = openSqliteIntake({ path: join(folder, "intake.db") });
    preparer = createPreparer({ intake, folder });
    rewind();
    await start();
  });
  afterEach(async () => {
    await intake[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
}

export const spooled = (records: unknown, projectId = 1): string =>
  `${Buffer.from(encodeSpoolLine(projectId, receivedMs, Buffer.from(JSON.stringify(records)))).toString()}\n`;

export async function prepareText(
  text: string,
  options: { maxRecords?: number; skipped?: readonly number[] } = {},
): Promise<PreparedBatch> {
  const bytes = new Uint8Array(Buffer.from(text));
  const prepared = await preparer.prepare({ from: at, bytes, maxRecords: 1_000, skipped: [], ...options });
  at = prepared.batch.to;
  return prepared;
}

export const prepare = (...records: unknown[]): Promise<PreparedBatch> => prepareText(spooled(records));

export function rowsOf(
  { batch }: PreparedBatch,
  kind: "days" | "updatesFile" | "seenFile" | "usersFile",
  project = 1,
): unknown[] {
  const given = batch.projects.find(({ projectId }) => projectId === project)?.[kind];
  const files =
    typeof given === "object" ? given.map(({ file }) => file) : given === undefined ? [] : [given];
  return files.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  );
}

export const lettersOf = ({ deadLetters }: PreparedBatch): { reason: string; line: string }[] =>
  deadLetters === undefined
    ? []
    : Buffer.from(deadLetters.ndjson)
        .toString()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));

export const track = (changes: Record<string, unknown> = {}) => ({
  "#type": "track",
  "#event_name": "login",
  "#time": "2026-01-01 00:00:00",
  "#account_id": "a",
  ...changes,
});

export const user = (operation: string, properties: unknown, changes: Record<string, unknown> = {}) => ({
  "#type": operation,
  "#time": "2026-01-01 00:00:00",
  "#account_id": "a",
  properties,
  ...changes,
});

export const timeMs = Date.UTC(2026, 0, 1);
