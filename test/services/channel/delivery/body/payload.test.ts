import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileElement } from "../../../../../services/channel/content/element.ts";
import { BodyMemory } from "../../../../../services/channel/delivery/body/body-memory.ts";
import { writeBody } from "../../../../../services/channel/delivery/body/write-body.ts";
import { PayloadWriter } from "../../../../../services/channel/delivery/body/write-payload.ts";
import { channelWith, contentOf } from "../../content/template.ts";
import { bodyOf } from "./body-of.ts";

const elements = [
  compileElement(channelWith(), contentOf({ title: "Gift\n" })),
  compileElement(channelWith(), contentOf({ title: "礼物", body: "{name} {level} {name}" })),
  compileElement(channelWith({ contentTemplate: [], customParameters: [] }), contentOf({})),
];
const receipts = elements.map((_, i) => `{"ops_request_id":"r${i}"}`);

type Message = readonly [element: number, pushId: string, texts: readonly string[]];

/** Returns the payload of messages, and the body that they are to be sent as. */
function write(messages: readonly Message[]): { readonly payload: Uint8Array; readonly body: string } {
  const writer = new PayloadWriter();
  for (const [i, pushId, texts] of messages) writer.add(elements[i]!, pushId, texts, receipts[i]!);
  const written = messages.map(([i, pushId, texts]) => elements[i]!.write(pushId, texts, receipts[i]!));
  return { payload: Buffer.from(writer.take()), body: `[${written.join(",")}]` };
}

describe("a payload", () => {
  it("makes the body of its messages, whatever their values", () => {
    const text = fc.string({ unit: "binary", maxLength: 9 });
    const message = fc.tuple(
      fc.nat(elements.length - 1),
      fc.string({ unit: "binary", minLength: 1 }),
      fc.array(text, { minLength: 2, maxLength: 2 }),
    );
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 20 }), (messages) => {
        const { payload, body } = write(messages);
        expect(bodyOf(payload)).toBe(body);
      }),
    );
  });

  it("contains what its messages share once", () => {
    const messages = Array.from({ length: 100 }, (_, i): Message => [i % 2, `player-${i}`, ["Ann", ""]]);
    const { payload, body } = write(messages);
    expect(bodyOf(payload)).toBe(body);
    expect(payload.toString().split("礼物")).toHaveLength(2);
    expect(payload.length).toBeLessThan(body.length / 5);
  });

  it("begins a new payload for each batch", () => {
    const writer = new PayloadWriter();
    const take = (): Uint8Array => {
      writer.add(elements[2]!, "a", [], "{}");
      return Buffer.from(writer.take());
    };
    expect([bodyOf(take()), bodyOf(take())]).toEqual(Array.from({ length: 2 }, () => bodyOf(take())));
  });

  it("of an earlier version is the body itself", () => {
    expect(bodyOf(Buffer.from('[{"push_id":"a"}]'))).toBe('[{"push_id":"a"}]');
  });
});

describe("memory of bodies", () => {
  it("is used again after it was given back, and not before", () => {
    const memory = new BodyMemory();
    const [a, b] = ["a", "b"].map((pushId) => write([[2, pushId, []]]));
    const first = writeBody(a!.payload, memory);
    const second = writeBody(b!.payload, memory);
    expect([first, second].map((body) => Buffer.from(body).toString())).toEqual([a!.body, b!.body]);
    expect(second.buffer).not.toBe(first.buffer);
    memory.free(first);
    const third = writeBody(b!.payload, memory);
    expect(third.buffer).toBe(first.buffer);
    expect(Buffer.from(third).toString()).toBe(b!.body);
  });

  it("grows with a body that is longer than others", () => {
    const memory = new BodyMemory();
    const messages = Array.from(
      { length: 5_000 },
      (_, i): Message => [0, `player-${i}`, ["é".repeat(i % 50), "1"]],
    );
    const { payload, body } = write(messages);
    expect(Buffer.from(writeBody(payload, memory)).toString()).toBe(body);
  });
});
