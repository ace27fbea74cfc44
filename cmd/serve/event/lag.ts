import type { EventLag } from "../../../services/operations/settings/settings.ts";
import type { LoadProgress } from "./backend.ts";

/** Measures the records that cannot be queried yet; undefined while their state is unknown. */
export async function readEventLag(progress: LoadProgress | undefined): Promise<EventLag | undefined> {
  const waitingBytes = await progress?.loader.waitingBytes().catch(() => undefined);
  if (progress === undefined || waitingBytes === undefined) return undefined;
  if (waitingBytes === 0) return { waitingBytes, records: 0, lagMs: 0 };
  const recordBytes = progress.recordBytes();
  const records = recordBytes === undefined ? undefined : Math.max(1, Math.round(waitingBytes / recordBytes));
  return { waitingBytes, records, lagMs: progress.lagMs() };
}
