import fc from "fast-check";
import { expect, it } from "vitest";
import { readPage, writePageToken } from "../../../base/rpc/paging.ts";

const list = ["books", { state: "lent" }];

it("reads the token that it has written for the same list", () => {
  fc.assert(
    fc.property(fc.string(), (cursor) => {
      const pageToken = writePageToken(cursor, list);
      expect(readPage({ pageSize: 7, pageToken }, list)).toEqual({ limit: 7, after: cursor });
    }),
  );
});

it("writes no token where there is no next page", () => {
  expect(writePageToken(null, list)).toBe("");
});

it.each([
  [0, 100],
  [1, 1],
  [1_000, 1_000],
])("reads the page size %d as %d", (pageSize, limit) => {
  expect(readPage({ pageSize, pageToken: "" }, list)).toEqual({ limit });
});

it.each([-1, 1_001])("refuses the page size %d", (pageSize) => {
  expect(() => readPage({ pageSize, pageToken: "" }, list)).toThrow(
    `page_size is ${pageSize}, valid are 1 to 1000, or 0 for 100`,
  );
});

it.each([
  "x",
  "%%%",
  writePageToken("7", ["books", { state: "sold" }]),
  Buffer.from("7").toString("base64url"),
])("refuses the token %j of another list", (pageToken) => {
  expect(() => readPage({ pageSize: 0, pageToken }, list)).toThrow("page_token is not one of this list");
});
