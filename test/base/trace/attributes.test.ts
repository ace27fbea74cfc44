import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { expect, it } from "vitest";
import { attribute, ownAttribute } from "../../../base/trace/attributes.ts";

const known = new Set<unknown>(
  Object.entries(conventions).flatMap(([name, value]) => (name.startsWith("ATTR_") ? [value] : [])),
);

it("names attributes as the semantic conventions do", () => {
  expect(Object.values(attribute).filter((name) => !known.has(name))).toEqual([]);
});

it("has a prefix for its own attributes", () => {
  expect(Object.values(ownAttribute).filter((name) => !name.startsWith("engage."))).toEqual([]);
});
