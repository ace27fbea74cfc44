import { expect, test } from "vitest";
import { createRecent } from "../../../cmd/listen/recent.ts";

test("the entries set last are kept", () => {
  const recent = createRecent<number>(2);
  for (const [i, key] of ["a", "b", "a", "c"].entries()) recent.set(key, i);
  expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual([2, undefined, 3]);
});
