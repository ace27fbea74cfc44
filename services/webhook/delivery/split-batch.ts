import type { HandedBatch } from "../targets/target.ts";

/** Splits a batch into parts of at most `maxMessages` messages. */
export function splitBatch(batch: HandedBatch, maxMessages: number): readonly HandedBatch[] {
  const { elements } = batch;
  if (elements.length <= maxMessages) return [batch];
  const count = Math.ceil(elements.length / maxMessages);
  return Array.from({ length: count }, (_, at) => ({
    ...batch,
    elements: elements.slice(at * maxMessages, (at + 1) * maxMessages),
  }));
}

export function indexesOf({ elements }: HandedBatch): readonly number[] {
  return elements.map(({ index }) => index);
}
