import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectError, createContextValues, type HandlerContext } from "@connectrpc/connect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeJson } from "../../../../gateway/rest/json-message.ts";
import {
  type ReportClickRequest,
  ReportClickRequestSchema,
} from "../../../../gen/engage/webhook/v1/click_pb.ts";
import { createClickMethod } from "../../../../services/webhook/clicks/clicks.ts";
import { decodeClickRequest } from "../../../../services/webhook/clicks/codec.ts";
import { type ClicksConfig, clicksSchema } from "../../../../services/webhook/config.ts";
import { RecordsUnavailableError } from "../../../../store/records/records.ts";
import { readCase } from "../../../proto/cases.ts";
import { receiptText } from "../receipts.ts";

type Init = MessageInitShape<typeof ReportClickRequestSchema>;
const nowMs = Date.parse("2026-01-02T03:04:05.006Z");
const receipt = '{"ops_project_id":9007199254740993,"n":1.0}';
const deliveries: Record<string, { pushId: string; receipt: Uint8Array }> = {
  d1: { pushId: "acc-1", receipt: Buffer.from(receipt) },
};

async function report(
  request: Init | ReportClickRequest,
  config: Partial<ClicksConfig> = {},
  append?: () => Promise<void>,
): Promise<{ line: string; answer: unknown }> {
  let line = "";
  const { reportClick } = createClickMethod({
    config: clicksSchema.parse(config),
    sink: {
      append: async (record) => {
        line = Buffer.from(record).toString();
        await append?.();
      },
    },
    findDelivery: async (id) => deliveries[id] ?? null,
    now: () => nowMs,
    newUuid: () => "uuid-1",
  });
  const context = { values: createContextValues() } as HandlerContext;
  const answer = await reportClick!(create(ReportClickRequestSchema, request), context);
  return { line, answer };
}
const recordOf = async (request: Init, config?: Partial<ClicksConfig>) =>
  JSON.parse((await report(request, config)).line) as Record<string, unknown>;
const rest = (body: object | string) =>
  decodeClickRequest(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)), decodeJson);

describe("the event", () => {
  it("carries the receipt byte for byte", async () => {
    const { line, answer } = await report({ pushId: "acc-1", rawReceipt: Buffer.from(`${receipt} `) });
    expect(line).toBe(
      '{"#type":"track","#time":"2026-01-02 03:04:05.006","#event_name":"ops_push_click","#account_id":"acc-1",' +
        `"#uuid":"uuid-1","properties":{"#zone_offset":0,"#ops_receipt_properties":${receipt}}}`,
    );
    expect(answer).toEqual({ uuid: "uuid-1", eventName: "ops_push_click" });
  });

  const raw = Buffer.from("{}");
  const table: [what: string, request: Init, config: Partial<ClicksConfig>, expected: object][] = [
    [
      "all that is given",
      {
        accountId: "a",
        distinctId: "d",
        eventName: "mail_open",
        uuid: "u",
        time: timestampFromMs(0),
        rawReceipt: raw,
      },
      { appid: "app" },
      {
        "#account_id": "a",
        "#distinct_id": "d",
        "#event_name": "mail_open",
        "#uuid": "u",
        "#time": "1970-01-01 00:00:00.000",
        "#app_id": "app",
      },
    ],
    [
      "another event by configuration",
      { pushId: "p", rawReceipt: raw },
      { event: "clicked" },
      { "#event_name": "clicked" },
    ],
    [
      "a push id that is a visitor",
      { pushId: "p", accountId: "a", rawReceipt: raw },
      { pushId: "distinct_id" },
      { "#distinct_id": "p", "#account_id": "a" },
    ],
    [
      "a receipt as an object",
      { pushId: "p", opsReceiptProperties: { a: 1 } },
      {},
      { properties: { "#zone_offset": 0, "#ops_receipt_properties": { a: 1 } } },
    ],
    [
      "the bytes before the object",
      { pushId: "p", rawReceipt: raw, opsReceiptProperties: { a: 1 } },
      {},
      { properties: { "#zone_offset": 0, "#ops_receipt_properties": {} } },
    ],
    ["a delivery", { deliveryId: "d1" }, {}, { "#account_id": "acc-1" }],
    [
      "a delivery with another receipt",
      { deliveryId: "d1", rawReceipt: raw },
      {},
      { properties: { "#zone_offset": 0, "#ops_receipt_properties": {} } },
    ],
    ["a delivery of another user", { deliveryId: "d1", accountId: "x" }, {}, { "#account_id": "x" }],
    [
      "other properties",
      { pushId: "p", rawReceipt: raw, properties: { button: "ok", "#os": "x" } },
      {},
      { properties: { "#zone_offset": 0, "#ops_receipt_properties": {}, button: "ok", "#os": "x" } },
    ],
    [
      "no other properties",
      { pushId: "p", rawReceipt: raw, rawProperties: Buffer.from("{ }") },
      {},
      { properties: { "#zone_offset": 0, "#ops_receipt_properties": {} } },
    ],
  ];
  it.each(table)("has %s", async (_what, request, config, expected) => {
    expect(await recordOf(request, config)).toMatchObject(expected);
  });

  it("keeps receipt and properties byte for byte on their way through REST, in one line", async () => {
    const number = '{"big":12345678901234567890,"x":1.0}';
    fc.assert(
      await fc.asyncProperty(receiptText, async (text) => {
        const body = `{"pushId":"p","#ops_receipt_properties":${text},"properties":${number}}`;
        const { line } = await report(rest(body));
        const inLine = text.replaceAll("\n", " ");
        expect(
          line.endsWith(`"#ops_receipt_properties":${inLine},"big":12345678901234567890,"x":1.0}}`),
        ).toBe(true);
        expect(line).not.toContain("\n");
      }),
    );
  });
});

describe("refused", () => {
  const raw = Buffer.from("{}");
  const asText = "must be an object, found a string: the platform ignores strings, send the object itself";
  const table: [request: Init, field: string, problem: string][] = [
    [{ rawReceipt: raw }, "push_id", "is required, or account_id or distinct_id"],
    [
      { pushId: "p", accountId: "a", rawReceipt: raw },
      "push_id",
      "is the account_id, valid is only one of them",
    ],
    [{ pushId: "p".repeat(1_025), rawReceipt: raw }, "push_id", "is longer than 1024 characters"],
    [{ pushId: "p" }, "#ops_receipt_properties", "is required, or raw_receipt or delivery_id"],
    [{ pushId: "p", rawReceipt: Buffer.from('"{}"') }, "#ops_receipt_properties", asText],
    [
      { pushId: "p", rawReceipt: Buffer.from("[]") },
      "#ops_receipt_properties",
      "must be an object, found an array",
    ],
    [
      { pushId: "p", rawReceipt: Buffer.from("{}}") },
      "#ops_receipt_properties",
      'must be one JSON object: expected the end of the text, found "}" at line 1, column 3 (byte 2)',
    ],
    [
      { pushId: "p", rawReceipt: raw, eventName: "1st" },
      "event_name",
      '"1st" is not valid, valid is a letter and up to 49 letters, digits or underscores',
    ],
    [{ pushId: "p", rawReceipt: raw, uuid: "u".repeat(129) }, "uuid", "is longer than 128 characters"],
    [
      { pushId: "p", rawReceipt: raw, time: timestampFromMs(-1) },
      "time",
      "is out of range, valid is 1970-01-01T00:00:00Z to the end of 9999",
    ],
    [
      { pushId: "p", rawReceipt: raw, properties: { "#ops_receipt_properties": {} } },
      "properties",
      'must not contain "#ops_receipt_properties", give it next to properties',
    ],
    [
      { pushId: "p", rawReceipt: raw, properties: { "#time": "x" } },
      "properties",
      'must not contain "#time", which the service sets',
    ],
    [
      { pushId: "p", rawReceipt: raw, properties: { "a b": 1 } },
      "properties",
      'has the name "a b", valid is a letter and up to 49 letters, digits or underscores, or # before that',
    ],
    [
      { pushId: "p", rawReceipt: raw, rawProperties: Buffer.from("[]") },
      "properties",
      "must be an object, found an array",
    ],
  ];
  it.each(table)("%o", async (request, field, problem) => {
    const error = (await report(request).catch((reason: unknown) => reason)) as ConnectError;
    expect([error.code, error.rawMessage]).toEqual([Code.InvalidArgument, `${field} ${problem}`]);
    const violation = { field, description: `${field} ${problem}` };
    expect(error.details).toMatchObject([{ value: { fieldViolations: [violation] } }]);
  });

  it("an unknown delivery", async () => {
    await expect(report({ deliveryId: "d9" })).rejects.toMatchObject({
      code: Code.NotFound,
      rawMessage: 'delivery_id "d9" is unknown or no longer stored, give the receipt instead',
    });
  });

  it("while the sink is unavailable", async () => {
    const away = () => Promise.reject(new RecordsUnavailableError("ENOSPC"));
    await expect(report({ deliveryId: "d1" }, {}, away)).rejects.toMatchObject({ code: Code.Unavailable });
  });
});

describe("over REST", () => {
  const broken = readCase("w015_click_event_broken_string.json") as {
    properties: { "#ops_receipt_properties": string };
  };

  it("a receipt sent as a text is refused with the reason", async () => {
    const receiptAsText = broken.properties["#ops_receipt_properties"];
    const request = rest({ pushId: "p", "#ops_receipt_properties": receiptAsText });
    await expect(report(request)).rejects.toMatchObject({
      rawMessage: expect.stringMatching(/^#ops_receipt_properties must be an object, found a string/),
    });
  });

  it.each([
    [
      '{"push_id":"p","account_id":"a","eventName":"e","time":"2026-01-02T03:04:05Z"}',
      { pushId: "p", accountId: "a", eventName: "e" },
    ],
    [
      '{"deliveryId":"d1","#ops_receipt_properties":null,"properties":null}',
      { deliveryId: "d1", rawReceipt: new Uint8Array() },
    ],
    ['{"rawReceipt":"e30="}', { rawReceipt: new Uint8Array([0x7b, 0x7d]) }],
  ])("%s is read", (body, expected) => {
    expect(rest(body)).toMatchObject(expected);
  });

  it.each([
    ["[]", "body must be an object"],
    ["{", /body is not valid JSON: expected a key or "}"/],
    ['{"pushId":1}', /push_id/],
    ['{"nope":1}', /nope/],
    ['{"time":"today"}', /time/],
  ])("%s is refused", (body, message) => {
    expect(() => rest(body)).toThrow(message);
  });
});
