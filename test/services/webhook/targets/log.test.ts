import { expect, it } from "vitest";
import { MissingValueError } from "../../../../services/webhook/mapping/template.ts";
import { createLogTarget } from "../../../../services/webhook/targets/log.ts";
import { writeReceived } from "../../../../services/webhook/targets/write.ts";
import { handedBatch, messageJson } from "../handed.ts";

const { signal } = new AbortController();

it("gives each message to the log", async () => {
  const entries: unknown[] = [];
  await using target = createLogTarget({ log: (entry) => entries.push(entry), write: writeReceived });
  const texts = [messageJson("a"), messageJson("b")];
  expect(await target.deliver(handedBatch(texts), signal)).toEqual([{ kind: "done" }, { kind: "done" }]);
  expect(entries).toEqual([
    { target: "crm", deliveryId: "b1.0.crm", pushId: "a", message: texts[0] },
    { target: "crm", deliveryId: "b1.1.crm", pushId: "b", message: texts[1] },
  ]);
});

it("gives up a message that can't be written", async () => {
  const write = () => {
    throw new MissingValueError("params.name");
  };
  await using target = createLogTarget({ log: () => {}, write });
  expect(await target.deliver(handedBatch([messageJson("a")]), signal)).toEqual([
    { kind: "dead", reason: "message has no params.name" },
  ]);
});
