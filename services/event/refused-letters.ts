import { type DeadLetters, encodeLetter } from "../../store/deadletters/deadletters.ts";
import type { RefusedRecord } from "./record/record.ts";

/** A refused record and the JSON text that it came as. */
export interface RefusedLine {
  readonly refusal: RefusedRecord;
  readonly line: string | Uint8Array;
}

/** Keeps refused records, so that whoever made the mistake can send them again. */
export function keepRefused(
  letters: Pick<DeadLetters, "append">,
  projectId: number,
  refused: readonly RefusedLine[],
  now: () => number,
): void {
  if (refused.length === 0) return;
  const time = new Date(now());
  const texts = refused.map(({ refusal: { reason, message }, line }) =>
    encodeLetter({
      ...{ time, source: "event", index: `project ${projectId}`, format: undefined },
      ...{ reason, message, line },
    }),
  );
  letters.append({ count: texts.length, ndjson: Buffer.from(texts.join("")) });
}
