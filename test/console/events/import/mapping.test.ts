import { describe, expect, test } from "vitest";
import {
  eventNameOf,
  guessMapping,
  guessType,
  type Mapping,
  mainEvent,
  mappingFault,
  propertyNameOf,
  withProperties,
  wrongEvent,
} from "../../../../console/src/pages/events/import/mapping.ts";
import { sample } from "./sample.ts";

describe("names", () => {
  test.each([
    ["Total amount (€)", "Total_amount"],
    ["prénom", "prenom"],
    ["2nd", "c_2nd"],
    ["金额", "jin_e"],
    ["用户ID", "yong_hu_ID"],
    ["下单时间（UTC+8）", "xia_dan_shi_jian_UTC_8"],
    ["绿色女装", "lv_se_nv_zhuang"],
    ["龘龘", "da_da"],
    ["\u{20000}", "column_4"],
    ["сумма", "column_4"],
    ["#os", "os"],
    ["x".repeat(60), "x".repeat(50)],
  ])("the column %s becomes the property %s", (title, name) => expect(propertyNameOf(title, 3)).toBe(name));

  test.each([
    ["orders-2026.csv", "orders_2026"],
    ["订单.csv", "ding_dan"],
    ["заказы.csv", "imported"],
    ["7 days.tsv", "c_7_days"],
  ])("the file %s has events %s", (file, name) => expect(eventNameOf(file)).toBe(name));
});

test.each([
  [["1", "-2.5", "1e3"], "number"],
  [["1", "007"], "text"],
  [["12345678901234567890"], "number"],
  [["1e999"], "text"],
  [["true", "FALSE"], "boolean"],
  [["2026-01-01", "2026-01-02T10:00:00Z"], "time"],
  [["1/2/2026"], "text"],
  [[], "text"],
] as const)("the values %j are of the type %s", (values, type) =>
  expect(guessType(values, "point")).toBe(type),
);

test("a mapping is proposed from titles and values", () => {
  expect(guessMapping(sample)).toEqual({
    event: { kind: "column", index: 3 },
    user: { kind: "column", index: 1 },
    time: 4,
    order: "monthFirst",
    mark: "point",
    properties: [
      { index: 0, name: "order_id", type: "number" },
      { index: 2, name: "what", type: "text" },
      { index: 5, name: "amount", type: "number" },
      { index: 6, name: "amount_2", type: "number" },
    ],
  } satisfies Mapping);
});

test("events are named by a text, or by a column of names", () => {
  const mapping = guessMapping(sample);
  expect([mainEvent(sample, mapping), wrongEvent(sample, mapping)]).toEqual(["buy", undefined]);
  const byText = { ...mapping, event: { kind: "text", text: "order" } } as const;
  expect([mainEvent(sample, byText), wrongEvent(sample, byText)]).toEqual(["order", undefined]);
  const byWrong = { ...mapping, event: { kind: "column", index: 2 } } as const;
  expect(wrongEvent(sample, byWrong)).toBe("x y");
  const rows = [...sample.rows, ["3", "ann", "", "return", "2026-02-02 10:00:00"]];
  expect(mainEvent({ ...sample, rows }, mapping)).toBe("return");
});

test("a table without names of events and users gets texts for all rows", () => {
  const found = guessMapping({ fileName: "sales.csv", header: ["day", "sum"], rows: [["2026-01-31", "7"]] });
  expect(found.event).toEqual({ kind: "text", text: "sales" });
  expect(found.user).toEqual({ kind: "text", text: "imported" });
  expect(found.properties).toEqual([{ index: 1, name: "sum", type: "number" }]);
});

test("a column that is assigned otherwise becomes a property again, and changed names stay", () => {
  const before = guessMapping(sample);
  const renamed = {
    ...before,
    properties: before.properties.map((one) => ({ ...one, name: `my_${one.name}` })),
  };
  const after = withProperties(sample, { ...renamed, event: { kind: "text", text: "order" } });
  expect(after.properties.map(({ name }) => name)).toEqual([
    "my_order_id",
    "my_what",
    "Event",
    "my_amount",
    "my_amount_2",
  ]);
});

test.each<[Partial<Mapping>, unknown]>([
  [{}, undefined],
  [{ event: { kind: "text", text: "2x" } }, { kind: "event", text: "2x" }],
  [{ user: { kind: "text", text: "" } }, { kind: "user" }],
  [{ properties: [{ index: 0, name: "a b", type: "text" }] }, { kind: "property", name: "a b" }],
  [
    {
      properties: [
        { index: 0, name: "a", type: "text" },
        { index: 1, name: "A", type: "text" },
      ],
    },
    { kind: "twice", name: "A" },
  ],
  [
    {
      properties: [
        { index: 0, name: "", type: "text" },
        { index: 1, name: "", type: "text" },
      ],
    },
    undefined,
  ],
])("the mapping with %j has the fault %j", (changes, fault) =>
  expect(mappingFault({ ...guessMapping(sample), ...changes })).toEqual(fault),
);
