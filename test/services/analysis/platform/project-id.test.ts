import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseLossless } from "../../../../services/analysis/platform/lossless.ts";
import { replaceProjectId } from "../../../../services/analysis/platform/project-id.ts";

const replace = (text: string) => Buffer.from(replaceProjectId(Buffer.from(text), 12)).toString();

describe("replaceProjectId", () => {
  test.each([
    ['{"projectId":377}', '{"projectId":12}'],
    ['{"projectId":"377"}', '{"projectId":"12"}'],
    ['\n{ "a" : 1.0 ,\t"projectId" : 377 , "b":[1e2]}', '\n{ "a" : 1.0 ,\t"projectId" : 12 , "b":[1e2]}'],
    ['{"a":{"projectId":377},"projectId":377}', '{"a":{"projectId":377},"projectId":12}'],
    ['{"a":[{"projectId":377}, [ ]],"projectId":377}', '{"a":[{"projectId":377}, [ ]],"projectId":12}'],
    ['{"a":"\\"projectId\\":377","projectId":377}', '{"a":"\\"projectId\\":377","projectId":12}'],
    ['{"a":"}],{","projectId":377}', '{"a":"}],{","projectId":12}'],
    ['{"project\\u0049d":377}', '{"project\\u0049d":12}'],
    [
      '{"events":[{"projectId":377},{"a":1,"projectId":"377"}]}',
      '{"events":[{"projectId":12},{"a":1,"projectId":"12"}]}',
    ],
    [
      '{"events" : [ { "projectId" : 5 } , 7, [{"projectId":5}], null ] ,"projectId":377}',
      '{"events" : [ { "projectId" : 12 } , 7, [{"projectId":5}], null ] ,"projectId":12}',
    ],
    [
      '{"events":[{"filts":[{"projectId":5}],"projectId":null}]}',
      '{"events":[{"filts":[{"projectId":5}],"projectId":null}]}',
    ],
    ['{"event\\u0073":[{"projectId":5}],"events":[]}', '{"event\\u0073":[{"projectId":12}],"events":[]}'],
    ['{"events":{"projectId":5},"projectId":377}', '{"events":{"projectId":5},"projectId":12}'],
    ['{"projectId":1,"projectId":377}', '{"projectId":12,"projectId":12}'],
    ['{"品牌":"苹果","projectId":377}', '{"品牌":"苹果","projectId":12}'],
    ['\ufeff{"projectId":377}', '\ufeff{"projectId":12}'],
    ['{"b":1}', '{"b":1}'],
    ["{}", "{}"],
    [" { } ", " { } "],
  ])("%s", (text, expected) => {
    expect(replace(text)).toBe(expected);
  });

  test("changes the metrics of any query", () => {
    const event = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()));
    const withId = (value: unknown, id: number): unknown =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? { ...value, projectId: id }
        : value;
    fc.assert(
      fc.property(fc.array(event), fc.constantFrom("", " ", "\n"), (events, blank) => {
        const queryOf = (id: number) => ({ events: events.map((one) => withId(one, id)), projectId: id });
        const text = JSON.stringify(queryOf(377), null, blank);
        expect(replace(text)).toBe(JSON.stringify(queryOf(12), null, blank));
      }),
    );
  });

  test("changes that member only, in any JSON", () => {
    const members = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(members, members, fc.constantFrom("", " ", "\n"), (before, after, blank) => {
        const object = { ...before, projectId: 377, ...after };
        const text = JSON.stringify(object, null, blank);
        const expected = JSON.stringify({ ...object, projectId: 12 }, null, blank);
        expect(JSON.parse(replace(text))).toEqual(JSON.parse(expected));
      }),
    );
  });
});

describe("parseLossless", () => {
  test.each([
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", "9007199254740993"],
    ["-123456789012345678901", "-123456789012345678901"],
    ["1234567890123456.5", 1234567890123456.5],
    ["1e30", 1e30],
    ["-1e+400", "-1e+400"],
    ['"9007199254740993"', "9007199254740993"],
  ])("%s", (text, value) => {
    expect(parseLossless(`{"a":[${text}]}`)).toEqual({ a: [value] });
  });
});
