import { expect, test } from "vitest";
import { headingAnchor } from "../../../base/text/heading-anchor.ts";

test.each([
  ["Lines of a Parse call", "lines-of-a-parse-call"],
  ["Again & again", "again--again"],
  ["`webhook.inbox`, max_bytes", "webhookinbox-max_bytes"],
  ["Größe – two-part", "größe--two-part"],
])("the anchor of %s is %s", (heading, anchor) => {
  expect(headingAnchor(heading)).toBe(anchor);
});
