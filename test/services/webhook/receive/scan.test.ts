import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createElementShapes } from "../../../../services/webhook/receive/element-shapes.ts";
import {
  NotAnArrayError,
  scanBatch,
  TooManyElementsError,
} from "../../../../services/webhook/receive/scan.ts";
import { casesOf } from "../../../thorough.ts";
import { readBody } from "../bodies.ts";
import { receiptText } from "../receipts.ts";

const limits = { maxElements: 500, maxDepth: 64 };
const cut = (body: Buffer, span: { start: number; end: number } | undefined) =>
  span && body.toString("utf8", span.start, span.end);

describe("where things stand", () => {
  it("finds the ranges of each element", () => {
    const texts = [
      '{"push_id":"a\\u0062","params":{"t":"x"}, "#ops_receipt_properties" : {"ops_request_id": "r1"} }',
      "17",
      '{ "push_id" : 5,"custom_params":{},"more":[1,{"push_id":"no"}]}',
    ];
    const body = Buffer.from(` [ ${texts.join(" ,\n ")} ] `);
    const { elements } = scanBatch(body, limits);
    expect(elements.map((element) => cut(body, element))).toEqual(texts);
    expect(elements.map(({ kind }) => kind)).toEqual(["object", "number", "object"]);
    expect(elements.map(({ pushId }) => cut(body, pushId))).toEqual(['"a\\u0062"', undefined, "5"]);
    expect(cut(body, elements[0]?.receipt)).toBe('{"ops_request_id": "r1"}');
    expect(cut(body, elements[0]?.requestId)).toBe('"r1"');
    expect(elements.map(({ params, customParams }) => [params, customParams])).toEqual([
      ["object", undefined],
      [undefined, undefined],
      [undefined, "object"],
    ]);
  });

  it("takes the last of members that are there twice, and says so", () => {
    const body = Buffer.from(
      '[{"push_id":"a","push_id":"b","#ops_receipt_properties":{},"#ops_receipt_properties":{"x":1,"x":2}}]',
    );
    const { elements, duplicateKeys } = scanBatch(body, limits);
    expect([cut(body, elements[0]?.pushId), cut(body, elements[0]?.receipt)]).toEqual([
      '"b"',
      '{"x":1,"x":2}',
    ]);
    expect(duplicateKeys.found.map(({ key }) => key)).toEqual(["push_id", "#ops_receipt_properties", "x"]);
  });

  it("knows members by what their escapes stand for", () => {
    const body = Buffer.from(
      '[{"push\\u005fid":"a","\\u0023ops_receipt_properties":{"ops\\u005frequest_id":"r"}}]',
    );
    const [element] = scanBatch(body, limits).elements;
    expect([cut(body, element?.pushId), cut(body, element?.requestId)]).toEqual(['"a"', '"r"']);
  });

  it("is not misled by members of other objects", () => {
    const body = Buffer.from('[{"x":{"push_id":"no","#ops_receipt_properties":{}},"push_idx":"no"}]');
    expect(scanBatch(body, limits).elements[0]).toMatchObject({ pushId: undefined, receipt: undefined });
  });
});

describe("the batch as a whole", () => {
  const table: [body: string, error: new () => Error, message: string][] = [
    ['{"push_id":"a"}', NotAnArrayError, "body must be an array of messages, found an object"],
    ["null", NotAnArrayError, "body must be an array of messages, found null"],
    ['"[]"', NotAnArrayError, "body must be an array of messages, found a string"],
    [`[${"1,".repeat(500)}1]`, TooManyElementsError, "body has more than 500 messages"],
  ] as never;
  it.each(table)("%s", (body, error, message) => {
    expect(() => scanBatch(Buffer.from(body), limits)).toThrow(error);
    expect(() => scanBatch(Buffer.from(body), limits)).toThrow(message);
  });

  it("takes as many elements as the limit, and none", () => {
    expect(scanBatch(Buffer.from(`[${"1,".repeat(499)}1]`), limits).elements).toHaveLength(500);
    expect(scanBatch(readBody("w007_empty_array.json"), limits).elements).toEqual([]);
  });

  it("counts depth from the array on", () => {
    const nested = (depth: number) => Buffer.from(`[{"x":${"[".repeat(depth)}${"]".repeat(depth)}}]`);
    expect(scanBatch(nested(62), limits).elements).toHaveLength(1);
    expect(() => scanBatch(nested(63), limits)).toThrow("nested deeper than 64 levels");
  });
});

describe("oddities that are counted", () => {
  const table: [element: string, numbersForText: number, oddReceiptValues: number][] = [
    ['{"push_id":1,"params":{"a":1,"b":"2"},"custom_params":{"r":[{"n":1},{"n":"1","m":2.0}]}}', 4, 0],
    ['{"#ops_receipt_properties":{"ops_project_id":1,"ops_task_id":"2","other":3}}', 0, 0],
    ['{"#ops_receipt_properties":{"ops_project_id":"1","ops_task_id":2,"ops_flow_id":null}}', 0, 3],
  ];
  it.each(table)("%s", (element, numbersForText, oddReceiptValues) => {
    expect(scanBatch(Buffer.from(`[${element}]`), limits)).toMatchObject({
      numbersForText,
      oddReceiptValues,
    });
  });
});

describe("receipts", () => {
  it("are cut out byte for byte, whatever stands around them", () => {
    const batch = fc.array(
      fc.tuple(receiptText, fc.json({ maxDepth: 1 }), fc.constantFrom("", " ", "\n\t ")),
      {
        minLength: 25,
        maxLength: 25,
      },
    );
    const batches = casesOf(400);
    let receipts = 0;
    fc.assert(
      fc.property(batch, (parts) => {
        const elements = parts.map(
          ([receipt, other, space], at) =>
            `{"push_id":"u${at}",${space}"other":${other},"#ops_receipt_properties"${space}:${space}${receipt}${space}}`,
        );
        const body = Buffer.from(`[${elements.join(",")}]`);
        const cuts = scanBatch(body, limits).elements.map(({ receipt }) => cut(body, receipt));
        expect(cuts).toEqual(parts.map(([receipt]) => receipt));
        receipts += cuts.length;
      }),
      { numRuns: batches, endOnFailure: true },
    );
    expect(receipts).toBe(25 * batches);
  });
});

describe("shapes", () => {
  const valid = [
    '"x"',
    '""',
    "7",
    "-0.5e3",
    "true",
    "null",
    '"a\\n"',
    '"\\u00e9"',
    '"é漢😀"',
    '[{"n":"1"}]',
    "{}",
  ];
  const invalid = ['"\u0001"', '"\n"', '"\\x"', '"\\u00g9"', '"\\"', "01", "1.", "-", "+1", "tru", ""];
  const value = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...valid) },
    { weight: 10, arbitrary: fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)) },
    { weight: 1, arbitrary: fc.constantFrom(...invalid) },
  );
  const receiptValue = fc.constantFrom('"r"', '"r2"', '"\\u0072"', "1", "null", '""');
  const templates: ((v: string, w: string, r: string) => string)[] = [
    (v, w, r) =>
      `{"push_id":${v},"params":{"t":${w}},"#ops_receipt_properties":{"ops_project_id":1,"ops_request_id":${r}}}`,
    (v, w, r) =>
      `{ "#ops_receipt_properties" : {"ops_request_id":${r},"ops_x":"1"} ,"custom_params":{"a":${w}}, "push_id" : ${v} }`,
    (v, w) => `{"push_id":${v},"#ops_receipt_properties":{"x":${w}},"é":[1,{"push_id":"no"}]}`,
    (v, w) => `{"push_id":${v},"push_id":"b","params":${w},"#ops_receipt_properties":{}}`,
    (v, w) => `[${v},{"push_id":${w}}]`,
  ];
  const element = fc
    .tuple(fc.constantFrom(...templates), value, value, receiptValue)
    .map(([template, v, w, r]) => template(v, w, r));
  const damage = fc.option(fc.tuple(fc.nat(), fc.constantFrom(...Buffer.from('\0 "\\,:0a{[]}\u00ff'))), {
    freq: 1,
  });
  const outcomeOf = (scan: () => unknown): unknown => {
    try {
      return scan();
    } catch (error) {
      return [(error as Error).name, (error as Error).message];
    }
  };

  it("change nothing but the time", () => {
    const shapes = createElementShapes();
    fc.assert(
      fc.property(fc.array(element, { minLength: 1, maxLength: 12 }), damage, (elements, damaged) => {
        const body = Buffer.from(`[${elements.join(",")}]`);
        if (damaged !== null) body[damaged[0] % body.length] = damaged[1];
        expect(outcomeOf(() => scanBatch(body, limits, shapes))).toEqual(
          outcomeOf(() => scanBatch(body, limits)),
        );
      }),
      { numRuns: casesOf(10_000) },
    );
  });
});
