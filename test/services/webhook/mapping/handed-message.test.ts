import { fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { MessageBatchSchema } from "../../../../gen/engage/webhook/v1/batch_pb.ts";
import { ReceiptPropertiesSchema } from "../../../../gen/engage/webhook/v1/message_pb.ts";
import { readReceipt, toMessageBatch } from "../../../../services/webhook/mapping/handed-message.ts";
import { handedBatch, messageJson } from "../handed.ts";

function overTheWire(messages: readonly string[], changes = {}) {
  const bytes = toBinary(MessageBatchSchema, toMessageBatch(handedBatch(messages, changes)));
  return fromBinary(MessageBatchSchema, bytes);
}

describe("the batch as typed consumers get it", () => {
  it("says where it comes from", () => {
    const batch = overTheWire([messageJson("a"), messageJson("b")], { attempt: 3, replay: "again" });
    expect(toJson(MessageBatchSchema, batch)).toMatchObject({
      batchId: "b1",
      channel: "mail",
      target: "crm",
      requestId: "r1",
      acceptedTime: "2023-11-14T22:13:20Z",
      attempt: 3,
      replay: "again",
      messages: [
        { deliveryId: "b1.0.crm", index: 1, pushId: "a" },
        { deliveryId: "b1.1.crm", index: 2, pushId: "b" },
      ],
    });
  });

  it("leaves out what a batch has not", () => {
    expect(overTheWire([messageJson("a")], { requestId: null })).toMatchObject({ requestId: "", replay: "" });
  });

  it("gives texts, rows and numbers as their texts", () => {
    const params =
      '{"t":"x","n":1.50,"big":12345678901234567890,"rows":[{"id":"7","count":2.0}],"__proto__":"p"}';
    const [message] = overTheWire([messageJson("a", "{}", params)]).messages;
    const values = toJson(MessageBatchSchema, overTheWire([messageJson("a", "{}", params)]));
    expect(Object.keys(message!.params).sort()).toEqual(["__proto__", "big", "n", "rows", "t"]);
    expect(values).toMatchObject({
      messages: [
        { params: { t: "x", n: "1.50", big: "12345678901234567890", rows: [{ id: "7", count: "2.0" }] } },
      ],
    });
  });

  it("takes null and absent params for none", () => {
    const [message] = overTheWire([messageJson("a", "{}", "null")]).messages;
    expect(message).toMatchObject({ params: {}, customParams: {} });
  });

  it("carries the receipt byte for byte", () => {
    const receipt = '{ "ops_project_id": 12345678901234567890, "x":1.0,"2":"\\u00e9","1":[ ] }';
    const [message] = overTheWire([messageJson("a", receipt)]).messages;
    expect(Buffer.from(message!.rawReceipt).toString()).toBe(receipt);
  });
});

describe("the receipt's known keys", () => {
  it.each<[string, object]>([
    ["{}", {}],
    ['{"ops_project_id":1,"ops_task_id":"t","other":1}', { ops_project_id: "1", ops_task_id: "t" }],
    ['{"ops_project_id":9223372036854775807}', { ops_project_id: "9223372036854775807" }],
    ['{"ops_project_id":9223372036854775808}', {}],
    ['{"ops_project_id":1.5,"ops_task_id":7,"ops_flow_id":null}', {}],
    ['{"ops_push_language":"d\\u0065"}', { ops_push_language: "de" }],
  ])("of %s", (json, expected) => {
    expect(toJson(ReceiptPropertiesSchema, readReceipt(Buffer.from(json)))).toEqual(expected);
  });
});
