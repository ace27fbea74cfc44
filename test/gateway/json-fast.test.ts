import {
  create,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  type MessageInitShape,
  toJson,
} from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileJsonReader } from "../../gateway/codec/json-read.ts";
import { compileJsonWriter } from "../../gateway/codec/json-write.ts";
import {
  BookSchema,
  EchoMessageSchema,
  SearchBooksRequestSchema,
} from "./testproto/gen/engage/test/v1/library_pb.ts";

const text = fc.oneof(fc.string(), fc.constantFrom("é", '"', "\\", "\u0001", "\ud800", "x".repeat(100), "𝄞"));
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 2 ** 31, 2 ** 32 - 1, -1, 1e300, 0.1),
);
const long = fc.oneof(
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.constantFrom("0", "-0", "007", "1.0", "1e3", "", " 1", "9223372036854775807", "-9223372036854775808"),
  fc.integer(),
);
const genre = fc.constantFrom<JsonValue>("GENRE_FICTION", "GENRE_SCIENCE", "NOPE", 1, 7, null);
const odd = fc.constantFrom<JsonValue>(
  null,
  true,
  "NaN",
  {},
  [],
  [null],
  { a: null },
  { toString: 1, valueOf: 1 },
  "aGk=",
  "1",
  1.5,
  "2024-01-01T00:00:00Z",
);
/** Mostly of the right type. */
const near = <T extends JsonValue>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<JsonValue> =>
  fc.oneof({ weight: 12, arbitrary }, { weight: 1, arbitrary: odd });
const listOf = (arbitrary: fc.Arbitrary<JsonValue>) => near(fc.array(near(arbitrary), { maxLength: 3 }));
const mapOf = (arbitrary: fc.Arbitrary<JsonValue>) =>
  near(
    fc.dictionary(fc.oneof(text, fc.constantFrom("2", "10", "__proto__")), near(arbitrary), { maxKeys: 3 }),
  );
const some = (fields: Record<string, fc.Arbitrary<JsonValue>>) =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JsonValue>;
const filter = some({
  columnName: near(text),
  column_name: near(text),
  values: listOf(number),
  unknown: odd,
});
const base64 = fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString("base64"));

const messages: [DescMessage, fc.Arbitrary<JsonValue>][] = [
  [
    BookSchema,
    some({
      name: near(text),
      id: near(long),
      displayName: near(text),
      genre: near(genre),
      keywords: mapOf(number),
      cites: listOf(some({ name: near(text) })),
      shop: near(text),
      donor: near(some({ fullName: near(text), age: near(number) })),
    }),
  ],
  [
    EchoMessageSchema,
    some({
      text: near(text),
      number: near(number),
      big: near(long),
      data: near(fc.oneof(base64, fc.constantFrom("aGk", "_-8=", "a*=="))),
      genre: near(genre),
      filters: listOf(filter),
      genres: mapOf(genre),
      value: odd,
    }),
  ],
  [
    SearchBooksRequestSchema,
    some({
      flag: near(fc.boolean()),
      natural: near(number),
      bigNatural: near(long),
      ratio: near(number),
      rough: near(number),
      genres: listOf(genre),
      numbers: listOf(long),
      maybe: fc.boolean(),
      since: fc.constant("2024-01-01T00:00:00Z"),
      first: near(text),
      second: near(filter),
      labels: mapOf(text),
      limit: near(number),
      [":odd"]: odd,
    }),
  ],
];

/** Reads with the library; returns null for what it refuses. */
function readByLibrary(desc: DescMessage, json: JsonValue, ignoreUnknownFields: boolean): Message | null {
  try {
    return fromJson(desc, json, { ignoreUnknownFields });
  } catch {
    return null;
  }
}

describe.each(messages)("%s", (desc, arbitrary) => {
  it("is read as by the library or left to it", () => {
    const read = compileJsonReader(desc);
    fc.assert(
      fc.property(arbitrary, (json) => {
        expect([undefined, readByLibrary(desc, json, true)]).toContainEqual(read(json));
      }),
      { numRuns: 200 },
    );
  });

  it.each([{}, { alwaysEmitImplicit: true }])("is written as by the library, with %j", (options) => {
    const write = compileJsonWriter(desc, options);
    fc.assert(
      fc.property(arbitrary, (json) => {
        const message = readByLibrary(desc, json, true) ?? create(desc);
        expect([undefined, JSON.stringify(toJson(desc, message, options))]).toContain(write(message));
      }),
      { numRuns: 200 },
    );
  });
});

const book: MessageInitShape<typeof BookSchema> = {
  name: "a",
  id: 12n,
  displayName: 'x "y" é',
  genre: 1,
  acquiredAt: timestampFromMs(0),
  keywords: { logs: 0.5, "2": 1 },
  cites: [{ name: "b" }],
  origin: { case: "donor", value: { fullName: "Ann", age: 0 } },
};

it("does by itself what callers mostly send and get", () => {
  const message = create(BookSchema, book);
  expect(compileJsonWriter(BookSchema)(message)).toBe(JSON.stringify(toJson(BookSchema, message)));
  const plain = create(BookSchema, { ...book, acquiredAt: undefined });
  const json = { ...(toJson(BookSchema, plain) as object), more: [] };
  expect(compileJsonReader(BookSchema)(json)).toEqual(plain);
});

it.each<[name: string, message: object]>([
  ["of another type", create(EchoMessageSchema)],
  ["with a text that is none", { ...create(BookSchema), name: 5 }],
  ["with a number of an enum that it does not have", create(BookSchema, { genre: 9 as 1 })],
  ["with a struct", create(BookSchema, { notes: { a: 1 } })],
  ["without its lists", { $typeName: BookSchema.typeName }],
])("leaves a message %s to the library", (_name, message) => {
  expect(compileJsonWriter(BookSchema)(message as Message)).toBeUndefined();
});

it.each<[name: string, json: unknown]>([
  ["null", null],
  ["a list", []],
  ["a field by its other name", { display_name: "x" }],
  ["a time", { acquiredAt: "2024-01-01T00:00:00Z" }],
  ["both of a choice", { shop: "x", donor: {} }],
  ["an unknown enum", { genre: "NOPE" }],
  ["half a surrogate pair", { name: "\ud800" }],
])("leaves %s to the library", (_name, json) => {
  expect(compileJsonReader(BookSchema)(json)).toBeUndefined();
});

it.each(["natural", "rough", "ratio", "small"])(
  "leaves objects that can't be numbers to it, for %s",
  (name) => {
    const read = compileJsonReader(SearchBooksRequestSchema);
    expect(read({ [name]: { toString: 1, valueOf: 1 } })).toBeUndefined();
  },
);

it("leaves what is nested too deep for it to the library", () => {
  const nested = (depth: number): object => (depth === 0 ? {} : { cites: [nested(depth - 1)] });
  expect(compileJsonReader(BookSchema)(nested(31))).toBeDefined();
  expect(compileJsonReader(BookSchema)(nested(32))).toBeUndefined();
});
