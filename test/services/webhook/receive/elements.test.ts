import { describe, expect, it } from "vitest";
import { checkElements } from "../../../../services/webhook/receive/elements.ts";
import { scanBatch } from "../../../../services/webhook/receive/scan.ts";
import { readBody } from "../bodies.ts";

function check(text: string | Buffer) {
  const body = Buffer.from(text as string);
  return checkElements(body, scanBatch(body, { maxElements: 500, maxDepth: 64 }));
}

describe("the cases", () => {
  const accepted = [
    ["w001_manual_sample_full.json", ["accountid123987001"], "f7b66eb7-3363-4a46-a402-601a64b45f76"],
    ["w002_readme_curl_subset.json", ["accountid123987001"], "f7b66eb7-3363-4a46-a402-601a64b45f76"],
    ["w004_empty_receipt.json", ["user-1"], null],
    ["w009_journey.json", ["role_100200"], null],
    ["w010_array_row_and_string_numbers.json", ["role_100200"], "f7b66eb7-3363-4a46-a402-601a64b45f76"],
  ] as const;
  it.each(accepted)("%s is accepted", (file, pushIds, requestId) => {
    const checked = check(readBody(file));
    expect(checked.accepted.map(({ pushId }) => pushId)).toEqual(pushIds);
    expect(checked).toMatchObject({ failures: [], requestId });
  });

  it("w005 has three bad elements", () => {
    expect(check(readBody("w005_three_bad_elements.json"))).toMatchObject({
      accepted: [],
      failures: [
        { index: 0, message: "push_id is required" },
        { index: 1, message: "#ops_receipt_properties is required" },
        { index: 2, message: "params must be an object when provided" },
      ],
    });
  });
});

describe("bad elements", () => {
  const id = '"push_id":"a"';
  const receipt = '"#ops_receipt_properties":{}';
  const name = "valid are letters, digits and underscores, not a digit first";
  const value = "a value that is not a string, valid are a string and a list of objects with string values";
  const table: [element: string, message: string][] = [
    ["7", "message must be an object, found a number"],
    ["null", "message must be an object, found null"],
    ["[]", "message must be an object, found an array"],
    ["{}", "push_id is required"],
    [`{"push_id":null,${receipt}}`, "push_id is required"],
    [`{"push_id":"",${receipt}}`, "push_id is required"],
    [`{"push_id":["a"],${receipt}}`, "push_id must be a string, found an array"],
    [`{"push_id":true,${receipt}}`, "push_id must be a string, found a boolean"],
    [`{"push_id":"\\ud800",${receipt}}`, "push_id has a lone surrogate"],
    [`{${id}}`, "#ops_receipt_properties is required"],
    [`{${id},"#ops_receipt_properties":null}`, "#ops_receipt_properties is required"],
    [`{${id},"#ops_receipt_properties":"{}"}`, "#ops_receipt_properties must be an object, found a string"],
    [`{${id},"#ops_receipt_properties":[]}`, "#ops_receipt_properties must be an object, found an array"],
    [`{${id},${receipt},"params":[]}`, "params must be an object when provided"],
    [`{${id},${receipt},"custom_params":"x"}`, "custom_params must be an object when provided"],
    [`{${id},${receipt},"params":{"a-b":"x"}}`, `params has the key "a-b", ${name}`],
    [`{${id},${receipt},"params":{"":"x"}}`, `params has the key "", ${name}`],
    [`{${id},${receipt},"params":{"1a":"x"}}`, `params has the key "1a", ${name}`],
    [`{${id},${receipt},"params":{"\\u00e9":"x"}}`, `params has the key "é", ${name}`],
    [`{${id},${receipt},"params":{"é":"x"}}`, `params has the key "é", ${name}`],
    [`{${id},${receipt},"params":{"r":[{"a b":"x"}]}}`, `params has the key "r.a b", ${name}`],
    [`{${id},${receipt},"params":{"a":null}}`, `params has in "a" ${value}`],
    [`{${id},${receipt},"custom_params":{"a":{"b":"c"}}}`, `custom_params has in "a" ${value}`],
    [`{${id},${receipt},"params":{"r":[{"a":"b"},{"c":[]}]}}`, `params has in "r.c" ${value}`],
    [`{${id},${receipt},"params":{"r":["x"]}}`, 'params has in "r" a list with items that are not objects'],
    [`{${id},${receipt},"params":{"a":true,"b-":"c"}}`, `params has in "a" ${value}`],
    [
      `{${id},${receipt},"params":{"${"k".repeat(200)}":true}}`,
      `params has in "${"k".repeat(100)}…" (200 characters) ${value}`,
    ],
  ];
  it.each(table)("%s", (element, message) => {
    const { accepted, failures } = check(`[{${id},${receipt}},${element},{${id},${receipt}}]`);
    expect(accepted.map(({ index }) => index)).toEqual([0, 2]);
    expect(failures).toEqual([{ index: 1, message }]);
  });
});

describe("good elements", () => {
  const table: [element: string, pushId: string][] = [
    ['{"push_id":"\\u5f20\\"3","#ops_receipt_properties":{}}', '张"3'],
    ['{"push_id":12345678901234567890,"#ops_receipt_properties":{}}', "12345678901234567890"],
    ['{"push_id":"a","#ops_receipt_properties":{},"params":null,"custom_params":null}', "a"],
    ['{"push_id":"a","#ops_receipt_properties":{},"params":{"a":1.50,"r":[{"n":2}],"e":[]}}', "a"],
    ['{"push_id":"a","#ops_receipt_properties":{},"params":{"_\\u0061":"escaped name"}}', "a"],
    ['{"push_id":"a","#ops_receipt_properties":{"x":{"y":[null]}},"unknown":{"any":[1,true]}}', "a"],
    ['{"params":"bad","params":{},"push_id":"a","#ops_receipt_properties":{}}', "a"],
  ];
  it.each(table)("%s", (element, pushId) => {
    const { accepted, failures } = check(`[${element}]`);
    expect([accepted.map((one) => one.pushId), failures]).toEqual([[pushId], []]);
  });
});

describe("the id of the batch", () => {
  const element = (receipt: string) => `{"push_id":"a","#ops_receipt_properties":${receipt}}`;
  const table: [elements: string[], requestId: string | null, count: number][] = [
    [[element("{}")], null, 0],
    [[element('{"ops_request_id":""}'), element('{"ops_request_id":null}')], null, 0],
    [[element('{"ops_request_id":"r"}'), element('{"ops_request_id":"r"}')], "r", 1],
    [[element('{"ops_request_id":"r"}'), element('{"ops_request_id":"\\u0072"}')], "r", 1],
    [[element("{}"), element('{"ops_request_id":"r"}')], "r", 1],
    [['{"#ops_receipt_properties":{"ops_request_id":"r"}}'], "r", 1],
    [[element('{"ops_request_id":17}')], "17", 1],
    [[element('{"ops_request_id":"b"}'), element('{"ops_request_id":"a"}')], '["b","a"]', 2],
    [[element('{"ops_request_id":"a\\u0000"}')], expect.stringMatching(/^sha256:[0-9a-f]{64}$/), 1],
    [[element(`{"ops_request_id":"${"r".repeat(201)}"}`)], expect.stringMatching(/^sha256:[0-9a-f]{64}$/), 1],
  ];
  it.each(table)("%j", (elements, requestId, requestIdCount) => {
    expect(check(`[${elements.join(",")}]`)).toMatchObject({ requestId, requestIdCount });
  });
});
