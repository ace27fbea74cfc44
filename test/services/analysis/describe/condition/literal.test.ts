import { expect, describe as group, it } from "vitest";
import { warningsOf } from "../described.ts";
import { filter, whereOf } from "./conditions.ts";

group("a whole number that a double changes", () => {
  it.each([
    ["9007199254740993", "9007199254740992"],
    ["-9007199254740993", "-9007199254740992"],
    ["99999999999999999", "100000000000000000"],
    ["9007199254740993.0", "9007199254740992"],
  ])("%s is warned of", (text, read) => {
    expect(warningsOf({ view: { filts: [filter("price", "equal", [text])] } })).toEqual([
      `eventView.filts[0].ftv[0]: ${JSON.stringify(text)} is read as ${read}; numbers are exact up to 9007199254740991, report longer ids as texts`,
    ]);
  });

  it.each(["9007199254740992", "1e22", "0.1", "1e300"])("is not %s", (text) => {
    expect(warningsOf({ view: { filts: [filter("price", "equal", [text])] } })).toEqual([]);
  });

  it("keeps its digits where texts are compared", () => {
    const where = whereOf(filter("brand", "equal", ["9007199254740993"]));
    expect(where).toBe('brand in ["9007199254740993"]');
  });
});
