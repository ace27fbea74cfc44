import type { Message } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { createJsonReaders, type JsonForm } from "../../../base/rpc/json-reader.ts";
import { JsonReading } from "../../../base/rpc/json-reading.ts";
import { BookSchema, EchoMessageSchema } from "../../gateway/testproto/gen/engage/test/v1/library_pb.ts";

/** A form in which every scalar is a text. */
const texts: JsonForm = {
  namesOf: ({ name, jsonName }) => (name === "data" ? [] : jsonName === name ? [name] : [jsonName, name]),
  pathNameOf: ({ name }) => name,
  elementReaderOf: ({ message }) =>
    message === undefined
      ? (json, reading) => (typeof json === "string" ? json : reading.refuse("is not a text"))
      : undefined,
  takesNull: ({ name }) => name === "text",
  describeField: ({ fieldKind }) => fieldKind,
  readKey: (_field, text) => (text === "bad" ? undefined : text),
  unknownMember: (_desc, key, reading) => reading.ignore(`.${key}`),
};
const readerOf = createJsonReaders(texts);

function read(desc: Parameters<typeof readerOf>[0], json: unknown, maxFaults?: number) {
  const reading = new JsonReading(maxFaults);
  const message = readerOf(desc)(json, reading, 1) as Message | undefined;
  const faults = reading.faults().map(({ field, description }) => `${field} ${description}`);
  return { message, faults, ignored: reading.ignored() };
}

test.each<[json: unknown, faults: string[]]>([
  [{}, []],
  [{ number: "1", genres: { a: "b" }, filters: [{ inner: { columnName: "x" } }] }, []],
  [{ number: null, filters: null }, []],
  [{ text: null }, ["text is not a text"]],
  [[], ["body a list is not an object"]],
  [{ filters: [{}, { inner: { column_name: 1 } }] }, ["filters[1].inner.column_name is not a text"]],
  [{ filters: {} }, ["filters an object is not list"]],
  [{ filters: [null, 1] }, ["filters[0] null is not an object", "filters[1] 1 is not an object"]],
  [{ genres: { "a b": 1 } }, ['genres["a b"] is not a text']],
  [{ genres: { bad: "x" } }, ['genres["bad"] the key is not of its type']],
])("%j", (json, faults) => {
  expect(read(EchoMessageSchema, json).faults).toEqual(faults);
});

test.each([[{ shop: "a", donor: {} }], [{ donor: {}, shop: "a" }], [{ donor: null, shop: "a" }]])(
  "of a choice only one is taken: %j",
  (json) => {
    expect(read(BookSchema, json).faults).toEqual(["body has more than one of shop, donor"]);
  },
);

test("a member by both of its names is refused", () => {
  expect(read(BookSchema, { display_name: "a", displayName: "b" }).faults).toEqual([
    "body has a member twice, as displayName and as display_name",
  ]);
});

test("members without a field are noted with their path, and all of them counted", () => {
  const many = Object.fromEntries(Array.from({ length: 130 }, (_, n) => [`k${n}`, 1]));
  const { ignored, faults } = read(EchoMessageSchema, { data: "x", filters: [many] });
  expect([faults, ignored.length, ignored[0], ignored[1], ignored[100]]).toEqual([
    [],
    101,
    "data",
    "filters[0].k0",
    "31 more",
  ]);
});

test("nothing is read after the last fault that is noted", () => {
  const { faults } = read(EchoMessageSchema, { filters: [1, 2, 3], number: 4 }, 2);
  expect(faults).toEqual(["filters[0] 1 is not an object", "filters[1] 2 is not an object"]);
});

test("messages are read up to a depth of 100", () => {
  const nested = (depth: number): object => (depth === 1 ? {} : { cites: [nested(depth - 1)] });
  expect(read(BookSchema, nested(100)).faults).toEqual([]);
  expect(read(BookSchema, nested(101)).faults.join()).toMatch(
    /^cites\[0\].* is nested deeper than 100 levels$/,
  );
});

test("a key __proto__ of a map stays one", () => {
  const json: unknown = JSON.parse('{"genres":{"__proto__":"x"}}');
  const { genres } = read(EchoMessageSchema, json).message as unknown as { genres: object };
  expect([Object.entries(genres), Object.getPrototypeOf(genres)]).toEqual([
    [["__proto__", "x"]],
    Object.prototype,
  ]);
});
