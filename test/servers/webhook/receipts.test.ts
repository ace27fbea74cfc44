import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { booked, openWithTarget } from "../../e2e/webhook/http-target.ts";
import { receiptText } from "../../services/webhook/receipts.ts";
import { createSender } from "./senders.ts";

const count = 10_000;
const perBatch = 500;
const atOnce = 100;
const receipts = fc.sample(receiptText, { numRuns: count, seed: 20_260_105 });

it(`${count} receipts come to the target byte for byte`, { timeout: 120_000 }, async () => {
  const { server, target } = await openWithTarget({ per: "batch", maxMessages: perBatch, concurrency: 1 });
  const bodies = Array.from({ length: count / perBatch }, (_, batch) => {
    const own = receipts.slice(batch * perBatch, (batch + 1) * perBatch);
    const elements = own.map(
      (receipt, n) => `{"push_id":"user-${batch}-${n}","#ops_receipt_properties":${receipt}}`,
    );
    return `[${elements.join(",")}]`;
  });
  for (const body of bodies) {
    const { status, text } = await server.send(body);
    expect([status, JSON.parse(text).data.fail_list]).toEqual([200, []]);
  }
  await vi.waitUntil(async () => (await booked(server, "delivered")) === count, { timeout: 60_000 });
  expect(target.calls.map(({ body }) => body)).toEqual(bodies);
});

it(`${count} receipts are reported with clicks byte for byte`, { timeout: 120_000 }, async () => {
  const { server } = await openWithTarget();
  const clicks = receipts.map(
    (receipt, n) => `{"push_id":"user-${n}","uuid":"click-${n}","#ops_receipt_properties":${receipt}}`,
  );
  using sender = createSender(server.address, { connections: atOnce });
  const answers = await Promise.all(
    clicks.map((click) => {
      const headers = { "content-type": "application/json" };
      return sender.send({ pushIds: [], body: Buffer.from(click), headers }, "/v1/webhook/clicks");
    }),
  );
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  const folder = join(server.data, "clicks");
  const lines = readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), "utf8").trim().split("\n"),
  );
  const found = new Map(
    lines.map((line) => [
      /"#uuid":"([^"]+)"/.exec(line)?.[1],
      line.replace(/^.*?"#ops_receipt_properties":/, ""),
    ]),
  );
  // A record is one line, so line ends between values are blanks in it.
  const expected = receipts.map(
    (receipt, n) => [`click-${n}`, `${receipt.replaceAll("\n", " ")}}}`] as const,
  );
  expect(found).toEqual(new Map(expected));
});
