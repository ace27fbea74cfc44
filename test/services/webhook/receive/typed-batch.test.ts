import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WebhookMessageSchema } from "../../../../gen/engage/webhook/v1/message_pb.ts";
import { checkElements } from "../../../../services/webhook/receive/elements.ts";
import { scanBatch } from "../../../../services/webhook/receive/scan.ts";
import { encodeBatch } from "../../../../services/webhook/receive/typed-batch.ts";
import { receiptText } from "../receipts.ts";

type Init = MessageInitShape<typeof WebhookMessageSchema>;
const text = (value: string) => create(ValueSchema, { kind: { case: "stringValue", value } });
const number = (value: number) => create(ValueSchema, { kind: { case: "numberValue", value } });
const encode = (...messages: Init[]) =>
  encodeBatch(messages.map((message) => create(WebhookMessageSchema, message)));

describe("typed messages", () => {
  it("are written as a platform would have sent them", () => {
    const { body, faults } = encode(
      {
        pushId: "a",
        params: { t: text("x"), b: text("y") },
        opsReceiptProperties: { z: 1, a: { d: 1, c: 2 } },
      },
      { pushId: "b", rawReceipt: Buffer.from(' {"n":1.0, "m":9007199254740993}\n') },
    );
    expect(body.toString()).toBe(
      '[{"push_id":"a","params":{"b":"y","t":"x"},"custom_params":{},"#ops_receipt_properties":{"a":{"c":2,"d":1},"z":1}},' +
        '{"push_id":"b","params":{},"custom_params":{},"#ops_receipt_properties":{"n":1.0, "m":9007199254740993}}]',
    );
    expect(faults.size).toBe(0);
  });

  it("none are an empty array", () => {
    expect(encode().body.toString()).toBe("[]");
  });

  it("give the same bytes whatever the order of their maps", () => {
    const one = encode({ params: { a: text("1"), b: text("2") }, opsReceiptProperties: { x: 1, y: 2 } });
    const other = encode({ params: { b: text("2"), a: text("1") }, opsReceiptProperties: { y: 2, x: 1 } });
    expect(one.body.equals(other.body)).toBe(true);
  });

  it("keep their receipts byte for byte", () => {
    fc.assert(
      fc.property(fc.array(receiptText, { minLength: 1, maxLength: 5 }), (receipts) => {
        const { body } = encode(
          ...receipts.map((receipt) => ({ pushId: "a", rawReceipt: Buffer.from(receipt) })),
        );
        const { elements } = scanBatch(body, { maxElements: 500, maxDepth: 512 });
        const cuts = elements.map(({ receipt }) => body.toString("utf8", receipt!.start, receipt!.end));
        expect(cuts).toEqual(receipts);
      }),
      { numRuns: 300, endOnFailure: true },
    );
  });
});

describe("bad messages fail alone", () => {
  const good: Init = { pushId: "a", opsReceiptProperties: {} };
  const raw = (receipt: string): Init => ({ pushId: "a", rawReceipt: Buffer.from(receipt) });
  const table: [what: string, message: Init, fault: string | RegExp][] = [
    ["no push id", { opsReceiptProperties: {} }, "push_id is required"],
    ["no receipt", { pushId: "a" }, "#ops_receipt_properties is required"],
    ["a receipt that is a text", raw('"{}"'), "raw_receipt must be one JSON object"],
    ["a receipt that is none", raw("{"), /^raw_receipt must be one JSON object: expected a key or "}"/],
    [
      "a receipt that goes on",
      raw('{},"push_id":"b"'),
      /^raw_receipt must be one JSON object: expected the end/,
    ],
    [
      "a value that is nothing",
      { ...good, params: { p: create(ValueSchema) } },
      'params has in "p" a value that cannot be written as JSON',
    ],
    [
      "a number beyond JSON",
      { ...good, customParams: { p: number(Number.NaN) } },
      'custom_params has in "p" a value that cannot be written as JSON',
    ],
    ["a bad name", { ...good, params: { "a b": text("x") } }, /^params has the key "a b"/],
  ];
  it.each(table)("%s", (_what, message, fault) => {
    const { body, faults } = encode(good, message, good);
    const scanned = scanBatch(body, { maxElements: 500, maxDepth: 64 });
    const { accepted, failures } = checkElements(body, scanned, faults);
    expect(accepted.map(({ index }) => index)).toEqual([0, 2]);
    expect(failures).toEqual([{ index: 1, message: expect.stringMatching(fault) }]);
  });
});
