import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { createPreparer } from "../../../../services/event/load/prepare.ts";
import type { PreparedBatch } from "../../../../services/event/load/prepared.ts";
import { keysOf, TaskLines } from "../../../../services/event/load/task-lines.ts";
import { encodeSpoolLine } from "../../../../services/event/spool-line.ts";
import { emptySchema } from "../../../../store/events/events.ts";
import { openSqliteIntake } from "../../../../store/intake/sqlite/open.ts";
import { casesOf } from "../../../thorough.ts";
import { track } from "./load-rig.ts";
import { strict } from "./strict-intake.ts";

interface Run {
  readonly prepared: readonly Omit<PreparedBatch, "batch">[];
  readonly batches: readonly unknown[];
  readonly rows: readonly string[];
  readonly begun: ReadonlySet<number>;
}

/**
 * Prepares lines in batches of up to `maxRecords`, with an intake that needs keys and checks them, or one that does
 * not.
 */
async function run(lines: readonly string[], maxRecords: number, needsKeys: boolean): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), "lines-"));
  const sqlite = openSqliteIntake({ path: join(folder, "intake.db") });
  const begun = new Set<number>();
  const intake = needsKeys ? strict(sqlite) : sqlite;
  const preparer = createPreparer({ intake, folder, begun: (offset) => begun.add(offset) });
  const projects = new Map([[1, { schema: emptySchema, zone: "+00:00" }]]);
  await preparer.reset({ loadedTo: undefined, projects });
  const text = Buffer.from(lines.join(""));
  const prepared = [];
  const batches = [];
  const rows: string[] = [];
  for (let at = 0; at < text.length; ) {
    const task = { from: { number: 1, offset: at }, maxRecords, skipped: [Buffer.byteLength(lines[0]!)] };
    const { batch, ...rest } = await preparer.prepare({ ...task, bytes: new Uint8Array(text.subarray(at)) });
    const { days = [], seenFile } = batch.projects[0] ?? {};
    for (const { file } of days) rows.push(readFileSync(file, "utf8"));
    rows.push(seenFile === undefined ? "" : readFileSync(seenFile, "utf8"));
    prepared.push(rest);
    batches.push([batch.from, batch.to, batch.projects.map(({ counts }) => counts)]);
    at = batch.to.offset;
  }
  sqlite[Symbol.dispose]();
  rmSync(folder, { recursive: true });
  return { prepared, batches, rows, begun };
}

const id = fc.constantFrom<unknown>("a", "b", "c", 1, 2, "", null, "a\ud800", 1.5);
const record = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ "#account_id": id, "#distinct_id": id, "#uuid": id, "#first_check_id": id }),
  },
  fc.constantFrom({}, { "#type": "user_set" }, null, 7),
);
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.array(record, { maxLength: 4 }), fc.constantFrom(1, 1, 1, 2))
      .map(([records, project]) => {
        const base = { "#type": "track", "#event_name": "open", "#time": "2026-01-01 00:00:00" };
        const body = records.map((one) =>
          typeof one === "object" && one !== null ? { ...base, ...one } : one,
        );
        const encoded = encodeSpoolLine(project, Date.UTC(2026, 0, 2), Buffer.from(JSON.stringify(body)));
        return `${Buffer.from(encoded).toString()}\n`;
      }),
  },
  fc.constantFrom("no json\n", "\n", '{"p":1}\n'),
);

it("prepares the same when keys are collected first, and collects all that are used", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 2, maxLength: 12 }),
      fc.integer({ min: 1, max: 12 }),
      async (lines, maxRecords) => {
        expect(await run(lines, maxRecords, true)).toEqual(await run(lines, maxRecords, false));
      },
    ),
    { numRuns: casesOf(30) },
  );
});

it.each([
  ["lines are read", (lines: TaskLines) => lines.all()],
  ["keys are collected", (lines: TaskLines) => keysOf([lines.next()!, lines.next()!], new Map([[1, {}]]))],
])("lets the event loop do other work while %s", async (_name, work) => {
  let nowMs = 0;
  using _now = vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 10));
  const line = Buffer.concat([
    encodeSpoolLine(1, 0, Buffer.from(JSON.stringify([track(1)]))),
    Buffer.from("\n"),
  ]);
  const bytes = new Uint8Array(Buffer.concat([line, line]));
  const steps: string[] = [];
  setImmediate(() => steps.push("other work"));
  await work(new TaskLines({ from: { number: 1, offset: 0 }, bytes, maxRecords: 2, skipped: [] }));
  steps.push("done");
  expect(steps).toEqual(["other work", "done"]);
});
