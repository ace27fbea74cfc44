import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseLossless } from "../../../../services/analysis/platform/decode/envelope.ts";
import { replaceInSearch, replaceProjectId } from "../../../../services/analysis/platform/project-id.ts";

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

  test.each([
    ["escapes", JSON.stringify("\n".repeat(5_000_000))],
    ["backslashes", JSON.stringify("\\".repeat(5_000_000))],
    ["quotes", JSON.stringify('"'.repeat(5_000_000))],
    ["characters", JSON.stringify("a".repeat(5_000_000))],
  ])("steps over a text of millions of %s", (_, long) => {
    expect(replace(`{"a":${long},${long}:1,"projectId":377}`)).toBe(`{"a":${long},${long}:1,"projectId":12}`);
  });

  test("changes the metrics of any query", () => {
    const event = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()));
    const withId = (value: unknown, id: number): unknown =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? { ...value, projectId: id }
        : value;
    fc.assert(
      fc.property(fc.array(event), fc.constantFrom("", " ", "\n"), (events, space) => {
        const queryOf = (id: number) => ({ events: events.map((one) => withId(one, id)), projectId: id });
        const text = JSON.stringify(queryOf(377), null, space);
        expect(replace(text)).toBe(JSON.stringify(queryOf(12), null, space));
      }),
    );
  });

  test("changes that member only, in any JSON", () => {
    const members = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(members, members, fc.constantFrom("", " ", "\n"), (before, after, space) => {
        const object = { ...before, projectId: 377, ...after };
        const text = JSON.stringify(object, null, space);
        const expected = JSON.stringify({ ...object, projectId: 12 }, null, space);
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

describe("what a caller sends for a project", () => {
  const send = (text: string) => Buffer.from(replaceProjectId(Buffer.from(text), 30, 3)).toString();

  test.each([
    ['{"projectId":3,"events":[{"projectId":104}]}', '{"projectId":30,"events":[{"projectId":30}]}'],
    ['{"projectId":104,"projectId":"3"}', '{"projectId":30,"projectId":"30"}'],
    ['{"projectId":3,"a":[{"b":{"projectId":"3"}}]}', '{"projectId":30,"a":[{"b":{"projectId":"30"}}]}'],
    [
      '{"projectId":3,"project_id":3,"projectIds":null}',
      '{"projectId":30,"project_id":30,"projectIds":null}',
    ],
    [
      '{"projectId":3,"name":"projectID","project":{"id":104}}',
      '{"projectId":30,"name":"projectID","project":{"id":104}}',
    ],
  ])("%s becomes %s", (text, expected) => {
    expect(send(text)).toBe(expected);
  });

  test.each([
    ['"projectID":104', "projectID: 104 is not the project of the query, which is 3"],
    ['"PROJECTID":"104"', 'PROJECTID: "104" is not the project of the query, which is 3'],
    ['"project_id":104', "project_id: 104 is not"],
    ['"project-id":104', "project-id: 104 is not"],
    ['"project\\u0049D":104', "projectID: 104 is not"],
    ['"ｐrojectId":104', ": 104 is not"],
    ['"projectIds":[104]', "projectIds: a list is not"],
    ['"projectId ":104', "projectId : 104 is not"],
    ['"eventView":{"projectId":104}', "projectId: 104 is not"],
    ['"events":[{"filts":[{"projectId":104}]}]', "projectId: 104 is not"],
    ['"events":[{"projectid":"0x3"}]', 'projectid: "0x3" is not'],
    ['"projectid":true', "projectid: true is not"],
  ])("{%s} is refused", (member, message) => {
    expect(() => send(`{"projectId":3,${member}}`)).toThrow(message);
  });

  test.each([
    ["a=1&b=x%20y", "a=1&b=x+y"],
    ["projectId=3&x=1", "projectId=30&x=1"],
    ["token=a&Token=b&TOKEN=c&to_ken=d&token%5B%5D=e&x=1", "x=1"],
  ])("the parameters %s become %s", (given, expected) => {
    expect(String(replaceInSearch(new URLSearchParams(given), 30, 3))).toBe(expected);
  });

  test.each([
    "projectId=104",
    "projectid=104",
    "project_id=104",
    "projectId%5B0%5D=104",
    "projectId=3&projectId=104",
    "%EF%BD%90rojectId=104",
  ])("the parameters %s are refused", (given) => {
    const replace = () => replaceInSearch(new URLSearchParams(given), 30, 3);
    expect(replace).toThrow('"104" is not the project of the query, which is 3');
  });

  test("takes a text of any length", () => {
    const long = '\\"'.repeat(1_000_000);
    expect(send(`{"a":"${long}","projectId":3}`)).toBe(`{"a":"${long}","projectId":30}`);
  });
});
