import { expect, it } from "vitest";
import { toRows } from "../../../../store/channels/sql/pages.ts";

it.each([
  [1, 200],
  [30, 166],
  [100, 50],
  [450, 11],
  [500, 10],
  [3_000, 1],
  [6_000, 1],
])("stores batches of %d messages in rows of %d", (size, most) => {
  const batch = { requestId: "r", size, payload: Buffer.from("[]"), note: "" };
  const rows = toRows(Array.from({ length: 2 * most + 1 }, () => batch));
  expect(rows.map(({ count }) => count)).toEqual([most, most, 1]);
});
