import { Code, type ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { eachViolation, InvalidFieldsError, refuseField, under } from "../../../base/rpc/invalid-fields.ts";
import { createErrorMapping, retryLater } from "../../../base/rpc/map-errors.ts";
import { BadRequestSchema, RetryInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";

/** The store that the calls of this mapping need. */
class StoreError extends Error {}

const { mapErrors } = createErrorMapping((error) =>
  error instanceof StoreError ? "the store is unavailable" : undefined,
);
const failureOf = (error: unknown): Promise<unknown> =>
  mapErrors(async () => {
    throw error;
  }).catch((thrown: unknown) => thrown);

describe("mapErrors", () => {
  it("names all fields", async () => {
    const violations = [
      { field: "book.title", description: "is required" },
      { field: "book.pages", description: "is -1, valid are 1 to 9999" },
    ];
    const error = (await failureOf(new InvalidFieldsError(violations))) as ConnectError;
    expect([error.code, error.rawMessage]).toEqual([
      Code.InvalidArgument,
      "book.title is required; book.pages is -1, valid are 1 to 9999",
    ]);
    expect(error.findDetails(BadRequestSchema)[0]?.fieldViolations).toMatchObject([
      { field: "book.title", description: "book.title is required" },
      { field: "book.pages", description: "book.pages is -1, valid are 1 to 9999" },
    ]);
  });

  it("says when to try again", async () => {
    const cause = new StoreError("disk");
    const error = (await failureOf(cause)) as ConnectError;
    expect([error.code, error.rawMessage, error.cause]).toEqual([
      Code.Unavailable,
      "the store is unavailable",
      cause,
    ]);
    expect(error.findDetails(RetryInfoSchema)[0]?.retryDelay?.seconds).toBe(5n);
  });

  it("leaves other errors and outcomes as they are", async () => {
    const other = new TypeError("a bug");
    expect(await failureOf(other)).toBe(other);
    expect(await mapErrors(async () => 7)).toBe(7);
  });
});

it("writes parts of a second too", () => {
  const error = retryLater("busy", 1_250, { code: Code.ResourceExhausted });
  expect([error.code, error.findDetails(RetryInfoSchema)[0]?.retryDelay]).toMatchObject([
    Code.ResourceExhausted,
    { seconds: 1n, nanos: 250_000_000 },
  ]);
});

it("puts the place of a part before its fields", () => {
  const parts = [
    { field: "title", description: "is required" },
    { field: "[2].name", description: "is empty" },
    { field: "", description: "is missing" },
  ];
  expect(under("book", parts).map(({ field }) => field)).toEqual(["book.title", "book[2].name", "book"]);
});

it("reports at most 50 violations", () => {
  const check = (_item: number, at: number) => [{ field: `[${at}]`, description: "is bad" }];
  const found = eachViolation(Array.from({ length: 80 }), check as () => ReturnType<typeof check>);
  expect([found.length, new InvalidFieldsError([...found, ...found]).violations.length]).toEqual([50, 50]);
  expect(() => refuseField("title", "is required")).toThrow("title is required");
});
