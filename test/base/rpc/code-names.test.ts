import { Code } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { codeName, codeNames } from "../../../base/rpc/code-names.ts";

it.each([
  [undefined, "OK"],
  [Code.Canceled, "CANCELLED"],
  [Code.InvalidArgument, "INVALID_ARGUMENT"],
  [Code.Unauthenticated, "UNAUTHENTICATED"],
  [99 as Code, "UNKNOWN"],
])("code %s is %s", (code, name) => {
  expect(codeName(code)).toBe(name);
});

it("has a name for every code of the library", () => {
  const numbers = Object.values(Code).filter((value) => typeof value === "number");
  expect(numbers.map((code) => codeName(code))).toEqual(codeNames.slice(1));
});
