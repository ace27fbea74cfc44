import { expect } from "vitest";
import { parserConfigSchema } from "../../../../services/parser/config.ts";
import { openFormats } from "../../../../services/parser/formats/formats.ts";
import { type Batch, createBatchParser } from "../../../../services/parser/line/batch.ts";
import { separatorsOf } from "../../../../services/parser/line/separators.ts";
import { parseNdjson } from "../recorder.ts";

export const records = { name: "records", index: "{1,ta}.log", type: "pass_through" };
export const plain = { name: "plain", index: "plain.log", type: "json" };

export async function parserOf(formats: readonly unknown[], values: object = {}) {
  const config = parserConfigSchema.parse({ formats, ...values });
  const { formatFor, problems } = await openFormats(config);
  expect(problems).toEqual([]);
  const separators = separatorsOf(config);
  const parse = createBatchParser({ formatFor, separators, maxLineBytes: config.maxLineBytes, now: () => 0 });
  return (content: string | Uint8Array, framing: Batch["framing"] = "items", index = "") => {
    const parsed = parse({ content: Buffer.from(content), framing, index, source: "test" });
    return {
      text: Buffer.from(parsed.content).toString("utf8"),
      counts: parsed.counts,
      failed: Object.fromEntries(parsed.counts.failedByReason),
      letters: parseNdjson(parsed.deadLetters.ndjson),
    };
  };
}
