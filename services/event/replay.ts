import { createYield } from "../../base/async/yield.ts";
import type { StoredDeadLetter } from "../../store/deadletters/deadletters.ts";
import { acceptRecords, type CheckingOptions } from "./accept-records.ts";
import { readIngestBody, toRawRecords } from "./ingest/body.ts";
import { BodyFault } from "./ingest/body-fault.ts";
import { isStoredRecord, projectOfIndex } from "./ingest/refused-records.ts";
import type { ProjectDirectory } from "./projects.ts";
import type { CheckedRecord } from "./record/record.ts";

export interface RecordReplayOptions extends CheckingOptions {
  readonly directory: Pick<ProjectDirectory, "byId">;
}

/**
 * Offers the records of a dead letter to their project again, as if they were received now. Resolves to the
 * reason when all are refused again, and to undefined otherwise; then those that are refused are new dead letters.
 * @throws ConnectError UNAVAILABLE if the spool is unavailable
 */
export async function replayRecords(
  options: RecordReplayOptions,
  { reason, index, line }: Pick<StoredDeadLetter, "reason" | "index" | "line">,
): Promise<string | undefined> {
  if (isStoredRecord(reason)) return "the record is stored without the number, a replay would store it twice";
  const projectId = projectOfIndex(index);
  if (projectId === undefined) return "it is not of a project's collector, import it again";
  const project = options.directory.byId(BigInt(projectId));
  if (project === undefined) return `project ${projectId} is not configured`;
  try {
    const yieldToEventLoop = createYield();
    const body = await readIngestBody(Buffer.from(line), yieldToEventLoop);
    const records = await toRawRecords(body, yieldToEventLoop);
    const batch = {
      project,
      records,
      appid: undefined,
      source: "replay",
      receivedMs: options.now(),
      driftMs: options.driftMs?.() ?? 0,
    } as const;
    const refusal = allRefused(await acceptRecords(options, { ...batch, dryRun: true }));
    if (refusal !== undefined) return refusal;
    return allRefused(await acceptRecords(options, { ...batch, dryRun: false }));
  } catch (error) {
    if (error instanceof BodyFault) return error.message;
    throw error;
  }
}

/** Returns why the first was refused if all were. */
function allRefused(checked: readonly CheckedRecord[]): string | undefined {
  const reasons = checked.flatMap((one) => (one.kind === "refused" ? [one.message] : []));
  return reasons.length < checked.length ? undefined : (reasons[0] ?? "it has no records");
}
