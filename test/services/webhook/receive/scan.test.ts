import fc from "fast-check";
import { describe, expect, it } from "vitest";
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
    expect(cut(body, elements[0]?.params)).toBe('{"t":"x"}');
    expect(cut(body, elements[2]?.customParams)).toBe("{}");
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
