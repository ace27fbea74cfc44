import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { at, document } from "./library-document.ts";

describe("schemas", () => {
  const schema = (name: string): JsonValue =>
    at(document, "components", "schemas", `engage.test.v1.${name}`) ?? null;

  test("of messages", () => {
    expect(schema("Book")).toMatchObject({
      type: "object",
      description: "Book is a book.",
      properties: {
        id: { type: "string", format: "int64" },
        displayName: { type: "string", description: "What is printed on it." },
        genre: { $ref: "#/components/schemas/engage.test.v1.Genre" },
        acquiredAt: { type: "string", format: "date-time" },
        keywords: { type: "object", additionalProperties: { type: "number" } },
        cites: { type: "array", items: { $ref: "#/components/schemas/engage.test.v1.Book" } },
        "#notes": { type: "object", additionalProperties: true },
      },
      allOf: [
        {
          oneOf: [
            { required: ["shop"] },
            { required: ["donor"] },
            { not: { anyOf: [{ required: ["shop"] }, { required: ["donor"] }] } },
          ],
        },
      ],
    });
  });

  test("of scalars and well-known types", () => {
    expect(at(schema("SearchBooksRequest"), "properties")).toMatchObject({
      flag: { type: "boolean" },
      small: { type: "integer", format: "int32" },
      natural: { type: "integer", minimum: 0, maximum: 4294967295 },
      bigNatural: { type: "string", format: "uint64" },
      rough: { type: "number", format: "float" },
      digest: { type: "string", contentEncoding: "base64" },
      within: { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" },
      readMask: { type: "string" },
      maybe: { type: ["boolean", "null"] },
      maybeBig: { type: ["string", "null"], format: "int64" },
    });
  });

  test("of enums name and explain their values", () => {
    expect(schema("Genre")).toEqual({
      type: "string",
      enum: ["GENRE_UNSPECIFIED", "GENRE_FICTION", "GENRE_SCIENCE"],
      description:
        "Genre is what a book is about.\n\n- GENRE_UNSPECIFIED: Not known.\n- GENRE_FICTION: Invented.\n- GENRE_SCIENCE: Not invented.",
    });
  });

  test("of enums with words for REST have both", () => {
    expect(schema("Order")).toMatchObject({
      enum: ["newestFirst", "ORDER_UNSPECIFIED", "ORDER_NEWEST"],
      description: expect.stringContaining("- ORDER_NEWEST (`newestFirst` over REST): The newest first."),
    });
  });

  test("are sorted by name", () => {
    const names = Object.keys(at(document, "components", "schemas") as JsonObject);
    expect(names).toEqual([...names].sort());
  });
});
