import {
  create,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ReceiptPropertiesSchema, WebhookMessageSchema } from "../../gen/engage/webhook/v1/message_pb.ts";
import {
  ReceiveRequestSchema,
  ReceiveResponseSchema,
} from "../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { readCase } from "./cases.ts";

const acceptedBatches = [
  "w001_manual_sample_full.json",
  "w002_readme_curl_subset.json",
  "w004_empty_receipt.json",
  "w007_empty_array.json",
  "w009_journey.json",
  "w010_array_row_and_string_numbers.json",
];

describe("a batch is plain proto3 JSON", () => {
  test.each(acceptedBatches)("%s keeps every member, there and back through binary", (file) => {
    const messages = readCase(file);
    const request = fromJson(ReceiveRequestSchema, { channel: "demo", messages });
    const back = fromBinary(ReceiveRequestSchema, toBinary(ReceiveRequestSchema, request));
    expect(toJson(ReceiveRequestSchema, back, { alwaysEmitImplicit: true })).toMatchObject({
      channel: "demo",
      messages: messages as JsonObject[],
    });
  });

  test("signed bodies read the same with raw and with escaped text", () => {
    const { vectors } = readCase("w012_signature_vectors.json") as { vectors: { body_text: string }[] };
    const titles = vectors.map(({ body_text }) => {
      const request = fromJson(ReceiveRequestSchema, { messages: JSON.parse(body_text) });
      return request.messages[0]?.params["title"]?.kind.value;
    });
    expect(titles).toEqual([undefined, "每日活动", "每日活动"]);
  });

  test("an Array Row is a list of objects of texts", () => {
    const messages = readCase("w010_array_row_and_string_numbers.json");
    const [message] = fromJson(ReceiveRequestSchema, { messages }).messages;
    expect(message?.params["items"]?.kind.case).toBe("listValue");
    expect(message?.customParams["vip_level"]?.kind).toEqual({ case: "stringValue", value: "" });
  });
});

describe("bodies that need more than proto3 JSON", () => {
  const table: [file: string, why: string, error: RegExp][] = [
    ["w005_three_bad_elements.json", "one bad element would refuse the whole batch", /params/],
    ["w006_not_an_array.json", "the fault has to be named in the words of the contract", /messages/],
  ];
  test.each(table)("%s: %s", (file, _why, error) => {
    expect(() => fromJson(ReceiveRequestSchema, { messages: readCase(file) })).toThrow(error);
  });

  test("a missing push id and a missing receipt are visible in the message", () => {
    const [noId, noReceipt] = readCase("w005_three_bad_elements.json") as JsonValue[];
    const request = fromJson(ReceiveRequestSchema, { messages: [noId!, noReceipt!] });
    expect(request.messages.map((m) => [m.pushId, m.opsReceiptProperties])).toEqual([
      ["", {}],
      ["user-2", undefined],
    ]);
  });
});

describe("the receipt", () => {
  test("its typed view reads the known keys of a task push", () => {
    const [message] = readCase("w010_array_row_and_string_numbers.json") as JsonObject[];
    const view = fromJson(ReceiptPropertiesSchema, message!["#ops_receipt_properties"]!);
    expect(view).toMatchObject({
      opsProjectId: 1n,
      opsTaskId: "0050",
      opsTaskInstanceId: "0050_2023-01-01",
      opsTaskExecDetailId: "17795",
      opsRequestId: "f7b66eb7-3363-4a46-a402-601a64b45f76",
      opsExpGroupId: "2",
      opsPushLanguage: "default",
    });
  });

  test("its typed view tells a journey push by what is not set", () => {
    const [message] = readCase("w009_journey.json") as JsonObject[];
    const view = fromJson(ReceiptPropertiesSchema, message!["#ops_receipt_properties"]!);
    expect(view).toMatchObject({ opsFlowId: "0007", opsFlowVersion: "3", opsNodeId: "node_5" });
    expect([view.opsTaskId, view.opsRequestId]).toEqual([undefined, undefined]);
  });

  test("unknown keys are kept by the object and passed over by the view", () => {
    const receipt = { ops_project_id: 1, ops_new: { a: [1, null, true] } };
    const message = fromJson(WebhookMessageSchema, { push_id: "a", "#ops_receipt_properties": receipt });
    expect(toJson(WebhookMessageSchema, message)).toEqual({
      push_id: "a",
      "#ops_receipt_properties": receipt,
    });
    expect(fromJson(ReceiptPropertiesSchema, receipt, { ignoreUnknownFields: true }).opsProjectId).toBe(1n);
  });

  test.each([
    ["a big integer", '{"ops_project_id":9007199254740993}'],
    ["a decimal zero", '{"n":1.0}'],
    ["the order of keys that look like integers", '{"b":"","10":"","9":""}'],
    ["escapes", '{"t":"\\u6bcf\\/"}'],
    ["a repeated key", '{"a":1,"a":2}'],
  ])("raw_receipt keeps %s, which the object loses", (_what, text) => {
    const rawReceipt = new TextEncoder().encode(text);
    const message = create(WebhookMessageSchema, { rawReceipt, opsReceiptProperties: JSON.parse(text) });
    const back = fromBinary(WebhookMessageSchema, toBinary(WebhookMessageSchema, message));
    expect(new TextDecoder().decode(back.rawReceipt)).toBe(text);
    expect(JSON.stringify(back.opsReceiptProperties)).not.toBe(text);
  });

  test("any bytes survive as raw_receipt, in binary and in JSON", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const message = create(WebhookMessageSchema, { rawReceipt: bytes });
        const binary = fromBinary(WebhookMessageSchema, toBinary(WebhookMessageSchema, message));
        const json = fromJson(WebhookMessageSchema, toJson(WebhookMessageSchema, message));
        expect([[...binary.rawReceipt], [...json.rawReceipt]]).toEqual([[...bytes], [...bytes]]);
      }),
    );
  });
});

describe("an answer", () => {
  const answers = readCase("w013_responses.json") as { body: JsonValue }[];

  test.each(answers.slice(0, 6).map(({ body }) => [JSON.stringify(body), body] as const))(
    "%s is valid",
    (_, body) => {
      const answer = fromJson(ReceiveResponseSchema, body);
      expect(answer.returnCode).toBe((body as JsonObject)["return_code"]);
    },
  );

  test.each(answers.slice(6).map(({ body }) => [JSON.stringify(body), body] as const))(
    "%s is not",
    (_, body) => {
      expect(() => fromJson(ReceiveResponseSchema, body)).toThrow();
    },
  );

  test("a failed element is numbered as on the wire", () => {
    const answer = fromJson(ReceiveResponseSchema, answers[1]!.body);
    expect(answer.data?.failList).toMatchObject([{ index: 3, message: "push id not found" }]);
    expect(toJson(ReceiveResponseSchema, answer)).toEqual(answers[1]!.body);
  });

  test("return_code 0 is written; an empty fail_list only when implicit fields are asked for", () => {
    const answer = create(ReceiveResponseSchema, { returnCode: 0, returnMessage: "success", data: {} });
    expect(toJson(ReceiveResponseSchema, answer)).toEqual({
      return_code: 0,
      return_message: "success",
      data: {},
    });
    expect(toJson(ReceiveResponseSchema, answer, { alwaysEmitImplicit: true })).toEqual(answers[0]!.body);
  });
});
