import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TemplateError } from "../../../../services/webhook/mapping/placeholder.ts";
import {
  compileTemplate,
  compileText,
  type Json,
  type Missing,
  MissingValueError,
} from "../../../../services/webhook/mapping/template.ts";
import { handedBatch, messageJson } from "../handed.ts";

const receipt = '{ "ops_project_id": 12345678901234567890, "x":1.0,"2":"\\u00e9","1":[ ] }';
const params = '{"title":"Hi \\"you\\"","count":1.50,"items":[{"id":"7", "n":"2"}],"__proto__":"p"}';
const text = `{"push_id":"a1","params":${params},"extra":1,"#ops_receipt_properties":${receipt}}`;

function input(json = text, changes = {}) {
  const batch = handedBatch([json], changes);
  return { batch, element: batch.elements[0]! };
}

function render(template: Json, missing: Missing = "fail"): string {
  return compileTemplate(template, missing)(input());
}

describe("a string that is one placeholder alone", () => {
  it.each<[string, string]>([
    ["{push_id}", '"a1"'],
    ["{params.title}", '"Hi \\"you\\""'],
    ["{params.count}", "1.50"],
    ["{params.items}", '[{"id":"7", "n":"2"}]'],
    ["{params.items.0.n}", '"2"'],
    ["{params.__proto__}", '"p"'],
    ["{params}", params],
    ["{#ops_receipt_properties}", receipt],
    ["{#ops_receipt_properties.ops_project_id}", "12345678901234567890"],
    ["{@message}", text],
    ["{@delivery_id}", '"b1.0.crm"'],
    ["{@batch_id}", '"b1"'],
    ["{@channel}", '"mail"'],
    ["{@target}", '"crm"'],
    ["{@request_id}", '"r1"'],
    ["{@index}", "1"],
    ["{@attempt}", "1"],
    ["{@accepted_time}", '"2023-11-14T22:13:20.000Z"'],
  ])("%s is the value itself", (template, expected) => {
    expect(render(template)).toBe(expected);
  });
});

describe("placeholders within a text", () => {
  it.each<[string, string]>([
    ["Dear {push_id}!", '"Dear a1!"'],
    ["{params.title} ({params.count})", '"Hi \\"you\\" (1.50)"'],
    ["{push_id}{push_id}", '"a1a1"'],
    ["{{push_id}}", '"{push_id}"'],
    ["{{{push_id}}}", '"{a1}"'],
    ["rows: {params.items}", '"rows: [{\\"id\\":\\"7\\", \\"n\\":\\"2\\"}]"'],
    ["{@index}.", '"1."'],
    ["", '""'],
    ["plain", '"plain"'],
  ])("%s", (template, expected) => {
    expect(render(template)).toBe(expected);
  });
});

it("writes a whole body with the receipt byte for byte", () => {
  const body = {
    to: "{push_id}",
    title: "{params.title}",
    rows: "{params.items}",
    fixed: [1, true, null, { deep: "{params.count}" }],
    receipt: "{#ops_receipt_properties}",
  };
  expect(render(body)).toBe(
    `{"to":"a1","title":"Hi \\"you\\"","rows":[{"id":"7", "n":"2"}],"fixed":[1,true,null,{"deep":1.50}],"receipt":${receipt}}`,
  );
});

describe("missing values", () => {
  const body: Json = { a: "{params.none}", list: ["{params.none}", 1], t: "<{params.none}>" };
  it.each<[Missing, string]>([
    ["null", '{"a":null,"list":[null,1],"t":"<>"}'],
    ["omit", '{"list":[1],"t":"<>"}'],
  ])("%s", (missing, expected) => {
    expect(render(body, missing)).toBe(expected);
  });

  it.each<[Json]>([["{params.none}"], ["<{params.none}>"], [{ deep: ["{params.none}"] }]])(
    "fail: %j",
    (template) => {
      expect(() => render(template)).toThrow(new MissingValueError("params.none"));
    },
  );

  it("are not found in what is no object or list", () => {
    expect(render({ a: "{params.title.x}", b: "{params.items.9}" }, "null")).toBe('{"a":null,"b":null}');
  });

  it("omit at the root is null", () => {
    expect(render("{params.none}", "omit")).toBe("null");
  });

  it("are what an earlier one of a key that comes twice has", () => {
    const twice = '{"params":{"title":"old"},"push_id":"a","params":{},"#ops_receipt_properties":{}}';
    expect(compileTemplate({ t: "{params.title}" }, "null")(input(twice))).toBe('{"t":null}');
  });
});

describe("faults at the start", () => {
  it.each<[Json, string, (string | number)[]]>([
    [
      "{parms.title}",
      "has the unknown placeholder {parms.title}, the nearest is {params.title}, valid are {push_id}",
      [],
    ],
    [{ a: { b: ["x", "{nope}"] } }, "has the unknown placeholder {nope}", ["a", "b", 1]],
    ["{params.}", "has the unknown placeholder {params.}", []],
    ["{push_id.x}", "has the unknown placeholder {push_id.x}", []],
    ["{}", "has the unknown placeholder {}", []],
    ["a { b", 'has a lone "{" in "a { b", write "{{" for the character itself', []],
    ["a } b", 'has a lone "}"', []],
    ["{a{b}", 'has a lone "{"', []],
    ["{@nope}", "has the unknown placeholder {@nope}", []],
  ])("%j", (template, message, path) => {
    const compile = () => compileTemplate(template, "fail");
    expect(compile).toThrow(TemplateError);
    expect(compile).toThrow(message);
    expect(compile).toThrow(expect.objectContaining({ path }));
  });

  it("names a template that is nested too deep", () => {
    const deep = Array.from({ length: 40 }).reduce<Json>((inner) => [inner], "x");
    expect(() => compileTemplate(deep, "fail")).toThrow("is nested deeper than 32 levels");
  });
});

it("quotes what placeholders stand for, and nothing else", () => {
  const write = compileText("<b>{params.title}</b>", "fail", (value) => value.replaceAll('"', "&quot;"));
  expect(write(input())).toBe("<b>Hi &quot;you&quot;</b>");
});

it("carries any receipt byte for byte", () => {
  const write = compileTemplate({ r: "{#ops_receipt_properties}" }, "fail");
  const receipts = fc
    .dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue())
    .map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(receipts, (json) => {
      expect(write(input(messageJson("a", json)))).toBe(`{"r":${json}}`);
    }),
  );
});

it("writes JSON whatever the message holds", () => {
  const write = compileTemplate({ a: "{params.title}", b: "x {params.title} y" }, "fail");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (title) => {
      const json = write(input(messageJson("a", "{}", JSON.stringify({ title }))));
      expect(JSON.parse(json)).toEqual({ a: title, b: `x ${title} y` });
    }),
  );
});
