import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  compressPayload,
  compressPayloads,
  decompressPayload,
  freePayload,
} from "../../../../store/channels/sql/compress-payloads.ts";

it("restores any bytes", () => {
  const some = fc.uint8Array({ maxLength: 200 });
  const first = fc.constantFrom(0x5b, 0x78, 0x1f, 0);
  fc.assert(
    fc.property(some, first, fc.integer({ min: 1, max: 1_000 }), (tail, head, times) => {
      const body = Buffer.concat([Buffer.of(head), ...Array.from({ length: times }, () => tail)]);
      expect(Buffer.from(decompressPayload(compressPayload(body)))).toEqual(body);
    }),
  );
  expect(decompressPayload(compressPayload(new Uint8Array()))).toEqual(new Uint8Array());
});

it("shrinks the messages of a batch to a tenth", () => {
  const messages = Array.from({ length: 100 }, (_, i) => ({
    push_id: `player-${(i * 7_919) % 1_000_003}`,
    params: { title: "A gift for you", content: `Dear Name ${i}, have a look at what is in the mail` },
    "#ops_receipt_properties": { ops_task_id: "t1", ops_request_id: "0198c7b0-52ce-7e5e-a4a3-7b41c0a7f2d1" },
  }));
  const body = Buffer.from(JSON.stringify(messages));
  expect(compressPayload(body).length).toBeLessThan(body.length / 10);
});

it("keeps small payloads, and payloads which do not shrink", () => {
  const small = Buffer.from('[{"push_id":"a"}]');
  const random = createHash("shake256", { outputLength: 20_000 }).update("random").digest();
  random[0] = 0x5b;
  expect([compressPayload(small), decompressPayload(small)]).toEqual([small, small]);
  expect([compressPayload(random), decompressPayload(random)]).toEqual([random, random]);
});

it("shrinks payloads of 16 KiB, but none that are smaller", () => {
  const [small, large] = [16_382, 16_383].map((length) => Buffer.from(`[${"x".repeat(length)}`));
  expect(compressPayload(small!)).toBe(small);
  expect(compressPayload(large!).length).toBeLessThan(1_000);
});

it("frees the memory of a decompressed payload only", () => {
  const body = Buffer.from(`["${"x".repeat(20_000)}"]`);
  const small = Buffer.from("[1]");
  const packed = compressPayload(body);
  const read = decompressPayload(packed);
  freePayload(packed, read);
  freePayload(small, decompressPayload(small));
  expect([read.length, small.toString(), Buffer.from(decompressPayload(packed))]).toEqual([0, "[1]", body]);
});

it("yields to the event loop between many payloads", async () => {
  const batches = Array.from({ length: 3 }, (_, number) => ({
    number,
    payload: Buffer.alloc(2_097_152, "["),
  }));
  const order: string[] = [];
  setImmediate(() => order.push("turn"));
  const packed = await compressPayloads(batches);
  order.push("packed");
  expect(order).toEqual(["turn", "packed"]);
  expect(packed.every(({ payload }) => payload.length < 10_000)).toBe(true);
  expect(
    packed.map(({ number, payload }) => batches[number]!.payload.equals(decompressPayload(payload))),
  ).toEqual([true, true, true]);
});
