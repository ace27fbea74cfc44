import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonTree, readJsonTree } from "../../console/src/controls/json-tree.ts";

/** Writes a tree without spaces. */
function write(tree: JsonTree): string {
  if (tree.kind === "object")
    return `{${tree.members.map(([name, value]) => `${JSON.stringify(name)}:${write(value)}`).join(",")}}`;
  if (tree.kind === "array") return `[${tree.elements.map(write).join(",")}]`;
  return tree.kind === "string" ? JSON.stringify(tree.text) : tree.text;
}

describe("JSON is shown as it was written", () => {
  test.each([
    ['{"b":1,"a":2,"10":3,"9":4}', "keys in their order, also those that look like numbers"],
    ['{"a":1,"a":2}', "repeated keys"],
    ['{"id":9007199254740993,"price":0.10,"exp":1E+400}', "all digits"],
    ['{"__proto__":{"x":[]},"":{}}', "unusual keys"],
    ['["a\\"]b","\\u4e2d",true,false,null,-0]', "texts with brackets and quotes"],
  ])("%s: %s", (text) => {
    expect(write(readJsonTree(text)!).replaceAll("中", "\\u4e2d")).toBe(text);
  });

  test("with spaces between its parts", () => {
    expect(write(readJsonTree(' {\n "a" : [ 1 , 2 ] ,\t"b" : { } } ')!)).toBe('{"a":[1,2],"b":{}}');
  });

  test("whatever it is", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(write(readJsonTree(text)!)).toBe(text);
      }),
    );
  });

  test.each(["", "{", "[1,]", "{'a':1}", "nul", "[".repeat(150) + "]".repeat(150)])(
    "%j is shown as text",
    (text) => {
      expect(readJsonTree(text)).toBeUndefined();
    },
  );
});
