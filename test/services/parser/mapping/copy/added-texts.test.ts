import { expect, it } from "vitest";
import { z } from "zod";
import { mappingShape } from "../../../../../services/parser/mapping/config.ts";
import { compileMapping } from "../../../../../services/parser/mapping/mapping.ts";
import { createProblems } from "../../../../../services/parser/mapping/problems.ts";

it.each<[mapping: object, part: string, mayAdd: boolean]>([
  [{}, ":ta:", false],
  [{}, "rope", true],
  [{ "#account_id": "a" }, ":ta:", false],
  [{ "data:ta:": "a" }, ":ta:", true],
  [{ kind: { value: "x" } }, ":ta:", false],
  [{ kind: { value: "x:ta:" } }, ":ta:", true],
  [{ kind: { value: ["x"] } }, ":ta:", true],
  [{ number: { from: "a", type: "number" } }, ":ta:", true],
  [{ "#event_name": "event_{a}" }, ":ta:", false],
  [{ "#event_name": "{a}_{b}" }, ":ta:", false],
  [{ "#event_name": "event:{a}" }, ":ta:", true],
  [{ "#event_name": "{a}a:" }, ":ta:", true],
  [{ "#event_name": "{a}:" }, ":ta:", true],
  [{ "#event_name": ":{a}" }, ":ta:", true],
  [{ "#event_name": "ta:{a}" }, ":ta:", true],
  [{ "#event_name": "ta{a}" }, ":ta:", false],
  [{ "#event_name": "{a}ta{b}" }, ":ta:", true],
  [{ "#event_name": "{a}{b}" }, ":ta:", true],
  [{ "#event_name": "{a}{b}" }, "|", false],
  [{ "#event_name": "{a}|{b}" }, "|", true],
])("a mapping %j may add %j to a record: %j", (mapping, part, mayAdd) => {
  const { copier } = compileMapping(z.object(mappingShape).parse({ mapping }), {
    at: [],
    problems: createProblems(),
    now: () => 0,
    knownFields: undefined,
    defaultNulls: [],
  });
  expect(copier?.mayAdd(part)).toBe(mayAdd);
});
