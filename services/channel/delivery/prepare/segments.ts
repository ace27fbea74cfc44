import type { SegmentCounts } from "../../../../store/channels/channels.ts";

export interface Segment {
  readonly groupId: string;
  readonly language: string;
}

/** The segment of each message of a batch; stored as the batch's note. */
interface Note {
  /** The distinct segments of the batch. */
  readonly segments: readonly (readonly [groupId: string, language: string])[];
  /** Index into `segments` for each message; omitted if there is only one segment. */
  readonly of?: readonly number[];
}

/** Writes the note of a batch. @param segments the segment of each message */
export function encodeNote(segments: readonly Segment[]): string {
  const keys = segments.map(({ groupId, language }) => JSON.stringify([groupId, language]));
  const distinct = [...new Set(keys)];
  const note: Note = {
    segments: distinct.map((key) => JSON.parse(key)),
    ...(distinct.length > 1 && { of: keys.map((key) => distinct.indexOf(key)) }),
  };
  return JSON.stringify(note);
}

/** Counts the outcomes by segment. @param failed zero-based indexes of failed messages; undefined: all failed */
export function countSegments(
  note: string,
  size: number,
  failed: readonly number[] | undefined,
): readonly SegmentCounts[] {
  const { segments, of } = JSON.parse(note) as Note;
  const sent = segments.map(() => 0);
  const lost = segments.map(() => 0);
  for (let i = 0; i < size; i++) sent[of?.[i] ?? 0]!++;
  for (const i of failed ?? []) lost[of?.[i] ?? 0]!++;
  return segments.map(([groupId, language], i) => ({
    groupId,
    language,
    sent: sent[i]!,
    succeeded: failed === undefined ? 0 : sent[i]! - lost[i]!,
  }));
}
