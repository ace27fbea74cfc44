import { describe, expect, it } from "vitest";
import { createProjectState } from "../../../../services/event/load/project-state.ts";
import { RecordShapes } from "../../../../services/event/shape/record-shapes.ts";
import type { Property } from "../../../../store/events/events.ts";

const receivedMs = Date.UTC(2026, 0, 2);

const property = (number: number, name: string, type: Property["type"]): Property => ({
  table: "event",
  number,
  name,
  type,
});

const fewProperties = [
  property(1, "city", "text"),
  property(2, "level", "number"),
  property(3, "o", "object"),
];

function createShapes(properties = fewProperties): RecordShapes {
  const schema = {
    version: 1,
    events: new Map([["login", { name: "login", number: 4 }]]),
    properties: new Map(properties.map((one) => [`event:${one.name}`, one])),
  };
  return new RecordShapes(createProjectState(schema, (localMs) => localMs));
}

const record = (properties: string, more = ""): string =>
  `{"#type":"track","#account_id":"a","#event_name":"login","#time":"2026-01-01 00:00:00"${more},"properties":{${properties}}}`;

/** Whether a record is read from its bytes after a shape was learnt from another one. */
function isShaped(learnt: string, next: string, shapes = createShapes()): boolean {
  shapes.learn(Buffer.from(learnt));
  const bytes = Buffer.from(`${next}\n`);
  return shapes.match(bytes, 0) === bytes.length - 1 && shapes.take(bytes, receivedMs) !== undefined;
}

describe("a shape", () => {
  const plain = record('"city":"x","level":1');

  it.each([
    ["other values", record('"city":"Köln","level":-2.50')],
    ["no values", record('"city":"","level":null')],
  ])("is that of records with %s", (_what, next) => expect(isShaped(plain, next)).toBe(true));

  it.each([
    [1_020, true],
    [1_025, false],
  ])("of %i properties is known: %s", (count, isKnown) => {
    const names = Array.from({ length: count }, (_, index) => `p${index}`);
    const next = record(names.map((name) => `"${name}":1`).join(","));
    const shapes = createShapes(names.map((name, index) => property(index, name, "number")));
    expect(isShaped(next, next, shapes)).toBe(isKnown);
  });

  it("does not refer to the batch of its record", () => {
    const shapes = createShapes();
    const batch = Buffer.from(Uint8Array.from(Buffer.from(plain)).buffer);
    shapes.learn(batch);
    (batch.buffer as ArrayBuffer).transfer(0);
    expect(shapes.match(Buffer.from(`${plain}\n`), 0)).toBe(Buffer.byteLength(plain));
  });

  it.each([
    ["an escape", record('"city":"\\n","level":1')],
    ["an exponent", record('"city":"x","level":1e3')],
    ["a number of 16 digits", record('"city":"x","level":1234567890123456')],
    ["a number with a zero before it", record('"city":"x","level":01')],
    ["a number as text", record('"city":"x","level":"1"')],
    ["a long text", record(`"city":"${"x".repeat(2_049)}","level":1`)],
    ["another member", record('"city":"x","level":1', ',"#uuid":"u"')],
    ["another order", record('"level":1,"city":"x"')],
    ["no user", plain.replace('"a"', "null")],
    ["an unknown event", plain.replace("login", "logout")],
    ["an old time", plain.replace("2026", "2016")],
  ])("is not that of records with %s", (_what, next) => expect(isShaped(plain, next)).toBe(false));

  it.each([
    ["an object", record('"o":{"a":1}')],
    ["an unknown property", record('"new":1')],
    ["a property twice", record('"city":"x","City":"y"')],
    ["a key twice", record('"city":"x","city":"y"')],
    ["an escaped key", record('"c\\u0069ty":"x"')],
    ["a reserved property", record('"#user_id":"1"')],
    ["an unknown member", record('"city":"x"', ',"oops":1')],
    ["an object's prototype", record('"city":"x"', ',"__proto__":1')],
    ["an operation on a user", plain.replace("track", "user_set")],
  ])("is not learnt from a record with %s", (_what, given) => expect(isShaped(given, given)).toBe(false));
});
