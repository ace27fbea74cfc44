import { describe, expect, it } from "vitest";
import {
  compileRouter,
  RoutingError,
  type RoutingRule,
} from "../../../../services/webhook/delivery/routing.ts";
import type { BatchElement } from "../../../../store/inbox/inbox.ts";
import { messageJson } from "../handed.ts";

const messages = [
  messageJson("a", '{"ops_task_id":"t1","ops_push_language":"en"}', '{"vip":"1"}'),
  messageJson("b", '{"ops_task_id":"t2","ops_push_language":"de"}', '{"vip":"0"}'),
  messageJson("c", '{"ops_push_language":"fr"}'),
];

function batchOf(texts: readonly string[]): { body: Buffer; elements: BatchElement[] } {
  const elements: BatchElement[] = [];
  let start = 1;
  for (const [index, text] of texts.entries()) {
    const end = start + Buffer.byteLength(text);
    elements.push({ index, pushId: "x", start, end, receiptStart: start, receiptEnd: end });
    start = end + 1;
  }
  return { body: Buffer.from(`[${texts.join(",")}]`), elements };
}

function routes(rules: Readonly<Record<string, RoutingRule>>, targets = Object.keys(rules)) {
  return compileRouter("mail", targets, new Map(Object.entries(rules)))(batchOf(messages));
}

describe("routes", () => {
  it.each<[string, Readonly<Record<string, RoutingRule>>, unknown]>([
    ["without conditions, all to each", { x: {}, y: {} }, { x: "all", y: "all" }],
    ["by task", { x: { when: { task: "t1" } }, y: { otherwise: true } }, { x: [0], y: [1, 2] }],
    [
      "by language",
      { x: { when: { language: ["en", "fr"] } }, y: { otherwise: true } },
      { x: [0, 2], y: [1] },
    ],
    ["by a field of params", { x: { when: { "params.vip": "1" } }, y: {} }, { x: [0], y: [0, 1, 2] }],
    [
      "by any field of the receipt",
      { x: { when: { "#ops_receipt_properties.ops_task_id": "t2" } }, y: { otherwise: true } },
      { x: [1], y: [0, 2] },
    ],
    [
      "by all conditions together",
      { x: { when: { task: "t1", language: "de" } }, y: { otherwise: true } },
      { y: [0, 1, 2] },
    ],
    [
      "to several that match, and the rest otherwise",
      { x: { when: { task: "t1" } }, y: { when: { language: "en" } }, z: { otherwise: true } },
      { x: [0], y: [0], z: [1, 2] },
    ],
    ["otherwise alone", { x: { otherwise: true } }, { x: "all" }],
    ["by push id", { x: { when: { push_id: "c" } }, y: { otherwise: true } }, { x: [2], y: [0, 1] }],
  ])("%s", (_name, rules, expected) => {
    const found = routes(rules).map(({ target, indexes }) => [target, indexes]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it("marks the routes whose order counts", () => {
    expect(routes({ x: { ordered: true }, y: {} })).toEqual([
      { target: "x", indexes: "all", ordered: true },
      { target: "y", indexes: "all", ordered: false },
    ]);
  });

  it("has none for a channel without targets", () => {
    expect(routes({})).toEqual([]);
  });

  it("takes the last of a key that comes twice", () => {
    const twice = messageJson("a", '{"ops_task_id":"t9","ops_task_id":"t1"}');
    const router = compileRouter(
      "mail",
      ["x", "y"],
      new Map([
        ["x", { when: { task: "t1" } }],
        ["y", { otherwise: true }],
      ]),
    );
    expect(router(batchOf([twice])).map(({ target }) => target)).toEqual(["x"]);
  });
});

describe("faults at the start", () => {
  it.each<[string, Readonly<Record<string, RoutingRule>>, string[], string]>([
    ["an unknown target", { x: {} }, ["z"], 'channel "mail" names the target "z", valid are "x"'],
    ["no targets at all", {}, ["z"], 'names the target "z", webhook.targets is empty'],
    [
      "an unknown field",
      { x: { when: { langauge: "en" } } },
      ["x"],
      'target "x" has a condition on "langauge", the nearest is language, valid are task, language, push_id, params.<name>',
    ],
    [
      "messages that would go nowhere",
      { x: { when: { task: "t1" } }, y: { when: { task: "t2" } } },
      ["x", "y"],
      "set otherwise on one of x, y",
    ],
  ])("%s", (_name, rules, targets, message) => {
    const compile = () => compileRouter("mail", targets, new Map(Object.entries(rules)));
    expect(compile).toThrow(RoutingError);
    expect(compile).toThrow(message);
  });
});
