import { create } from "@bufbuild/protobuf";
import { describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { commandOf, readsNumbers } from "../../../console/src/pages/events/import/command.ts";
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
} from "../../../console/src/pages/events/import/mapping.ts";
import { guessMark, readNumber } from "../../../console/src/pages/events/import/numbers.ts";
import { misfitOf, recordOf } from "../../../console/src/pages/events/import/record.ts";
import { nothingYet, sendRows } from "../../../console/src/pages/events/import/send-rows.ts";
import { guessOrder, readTime } from "../../../console/src/pages/events/import/times.ts";
import { displayNamesOf, lostTitles } from "../../../console/src/pages/events/import/titles.ts";
import { RecordResultSchema } from "../../../gen/engage/event/v1/record_pb.ts";

describe("readTime", () => {
  test.each([
    ["2026-01-31 13:45:00", "2026-01-31 13:45:00.000", false],
    ["2026-01-31T13:45:00.1234567", "2026-01-31 13:45:00.123", false],
    ["2026/1/3", "2026-01-03 00:00:00.000", false],
    ["2026.01.03 7:05", "2026-01-03 07:05:00.000", false],
    ["2026-01-31T23:30:00Z", "2026-01-31 23:30:00.000", true],
    ["2026-01-31T23:30:00+08:00", "2026-01-31 15:30:00.000", true],
    ["2026-01-31 23:30:00 -0130", "2026-02-01 01:00:00.000", true],
    ["1767225600", "2026-01-01 00:00:00.000", true],
    ["1767225600.25", "2026-01-01 00:00:00.250", true],
    ["1767225600250", "2026-01-01 00:00:00.250", true],
    ["1/2/2026", "2026-01-02 00:00:00.000", false],
    ["1/2/2026 10:00:01", "2026-01-02 10:00:01.000", false],
  ])("%s is %s", (text, expected, isUtc) =>
    expect(readTime(text, "monthFirst")).toEqual({ text: expected, isUtc }),
  );

  test.each([
    "",
    "soon",
    "2026-02-30",
    "2026-13-01",
    "2026-01-01 24:00:00",
    "20260101",
    "12",
    "31/12/2026",
    "2026-01-01 10",
  ])("%o is no time", (text) => expect(readTime(text, "monthFirst")).toBeUndefined());

  test("the order of day and month is that in which most dates are valid", () => {
    expect(guessOrder(["1/2/2026", "31/1/2026"])).toBe("dayFirst");
    expect(guessOrder(["1/2/2026", "1/31/2026"])).toBe("monthFirst");
    expect(guessOrder(["1/2/2026"])).toBe("monthFirst");
    expect(readTime("1/2/2026", "dayFirst")?.text).toBe("2026-02-01 00:00:00.000");
  });
});

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

const sample = {
  fileName: "orders.csv",
  header: ["order id", "User", "what", "Event", "ordered at", "amount", "amount"],
  rows: [
    ["1", "ann", "x y", "buy", "2026-01-31 10:00:00", "12.50", "3"],
    ["2", "bob", "", "return", "2026-02-01 10:00:00", "", "4"],
  ],
};

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

describe("titles that are no names", () => {
  const table = {
    fileName: "t.csv",
    header: ["时间", "金额", "Total amount", "税额\n", "", "amount"],
    rows: [["2026-01-31", "1", "2", "3", "4", "5"]],
  };
  const mapping = guessMapping(table);

  test("become names that can be read, which differ where titles sound alike", () => {
    expect(mapping.properties.map(({ name }) => name)).toEqual([
      "jin_e",
      "Total_amount",
      "shui_e",
      "column_5",
      "amount",
    ]);
    const alike = guessMapping({ ...table, header: ["时间", "金额", "今俄", "禁鹅", "a", "b"] });
    expect(alike.properties.slice(0, 3).map(({ name }) => name)).toEqual(["jin_e", "jin_e_2", "jin_e_3"]);
  });

  test("are kept as display names", () => {
    expect(lostTitles(table, mapping)).toEqual([
      ["jin_e", "金额"],
      ["shui_e", "税额\n"],
    ]);
    const { projects } = parse(displayNamesOf(table, mapping, 7n)) as { projects: readonly object[] };
    expect(projects).toEqual([{ id: 7, displayNames: { jin_e: "金额", shui_e: "税额\n" } }]);
  });
});

describe("numbers as people write them", () => {
  test.each([
    ["$4,879.50", "4879.50", undefined],
    ["-$4.5", "-4.5", undefined],
    ["$-4", "-4", "-4"],
    ["1,234,567.89", "1234567.89", undefined],
    ["1 234 567", "1234567", "1234567"],
    ["12,345,678,901,234,567,890", "12345678901234567890", undefined],
    ["1.234,50 €", undefined, "1234.50"],
    ["99,90", undefined, "99.90"],
    ["1,234", "1234", "1.234"],
    ["1e3", "1e3", undefined],
    ["12,34,567", undefined, undefined],
    ["1,234 567", undefined, undefined],
    ["-$-4", undefined, undefined],
    ["007", undefined, undefined],
    ["06.10.2026", undefined, undefined],
    ["$", undefined, undefined],
  ])("%s is %s with a point and %s with a comma", (text, point, comma) => {
    expect(readNumber(text, "point")).toBe(point);
    expect(readNumber(text, "comma")).toBe(comma);
  });

  test("the mark is that with which most columns are numbers", () => {
    expect(guessMark([["99,90", "1.234,50"], ["x"]])).toBe("comma");
    expect(guessMark([["99,90"], ["1.50"]])).toBe("point");
    expect(guessMark([["1,234"]])).toBe("point");
    expect(guessMark([[]])).toBe("point");
  });

  test("become numbers of records, which the command does not read", () => {
    const table = { fileName: "t.csv", header: ["Datum", "Betrag"], rows: [["06.10.2026", "1.234,50"]] };
    const mapping = guessMapping(table);
    expect(recordOf(table.rows[0]!, mapping, "1").line).toContain('"properties":{"Betrag":1234.50}');
    expect(readsNumbers(table, mapping)).toBe(false);
    expect(readsNumbers(sample, guessMapping(sample))).toBe(true);
  });
});

test.each([
  [
    { index: 2, name: "what", type: "number" },
    { index: 2, value: "x y" },
  ],
  [
    { index: 3, name: "what", type: "boolean" },
    { index: 3, value: "buy" },
  ],
  [
    { index: 5, name: "what", type: "time" },
    { index: 5, value: "12.50" },
  ],
  [{ index: 4, name: "what", type: "time" }, undefined],
  [{ index: 2, name: "", type: "number" }, undefined],
  [{ index: 2, name: "what", type: "text" }, undefined],
] as const)("of the property %j does not fit %j", (property, misfit) =>
  expect(misfitOf(sample, { ...guessMapping(sample), properties: [property] })).toEqual(misfit),
);

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

describe("recordOf", () => {
  const mapping: Mapping = {
    event: { kind: "column", index: 0 },
    user: { kind: "column", index: 1 },
    time: 2,
    order: "monthFirst",
    mark: "point",
    properties: [
      { index: 3, name: "n", type: "number" },
      { index: 4, name: "b", type: "boolean" },
      { index: 5, name: "t", type: "text" },
      { index: 6, name: "", type: "text" },
    ],
  };
  test.each([
    [
      ["buy", "ann", "2026-01-31", "12345678901234567890", "TRUE", ' "x" ', "no"],
      String.raw`{"n":12345678901234567890,"b":true,"t":" \"x\" "}`,
    ],
    [["buy", "ann", "2026-01-31", "many", "perhaps", ""], '{"n":"many","b":"perhaps"}'],
    [["buy", "ann", "1767225600"], '{"#zone_offset":0}'],
  ])("%j", (row, properties) => {
    const { line } = recordOf(row, mapping, "f-1");
    expect(line).toContain(`"#uuid":"f-1","properties":${properties}}`);
    expect(line).toContain('{"#type":"track","#event_name":"buy","#account_id":"ann","#time":"2026-01-');
  });
  test.each([
    [["", "ann", "2026-01-31"], "noEvent", ""],
    [["buy", " ", "2026-01-31"], "noUser", ""],
    [["buy", "ann", "soon"], "noTime", "soon"],
    [["buy", "ann"], "noTime", ""],
  ])("%j makes no record: %s", (row, fault, value) =>
    expect(recordOf(row, mapping, "1")).toEqual({ fault, value }),
  );
});

test("rows are sent, and what is wrong with them is counted by reason", async () => {
  const accepted = create(RecordResultSchema, { outcome: { case: "accepted", value: {} } });
  const dropped = create(RecordResultSchema, {
    outcome: { case: "accepted", value: { dropped: [{ name: "n", message: "n is a text" }] } },
  });
  const refused = create(RecordResultSchema, {
    outcome: { case: "refused", value: { message: "bad name" } },
  });
  const send = vi.fn(async () => [accepted, dropped, refused]);
  const row = (number: number, time = "2026-01-31") => ({ number, cells: ["buy", "ann", time] });
  const options = {
    mapping: { ...guessMapping(sample), event: { kind: "column", index: 0 }, time: 2 } as Mapping,
    identity: "f",
    faultText: (fault: string, value: string) => `${fault} ${value}`,
    send,
  };
  const first = await sendRows(nothingYet, [row(1), row(2), row(3, "soon"), row(4)], options);
  expect(send).toHaveBeenCalledWith(
    [1, 2, 4].map((number) => expect.stringContaining(`"#uuid":"f-${number}"`)),
  );
  expect(first).toEqual({
    rows: 4,
    accepted: 2,
    refused: 2,
    findings: expect.arrayContaining([
      { kind: "refused", message: "noTime soon", firstRow: 3, count: 1 },
      { kind: "refused", message: "bad name", firstRow: 4, count: 1 },
      { kind: "dropped", message: "n is a text", firstRow: 2, count: 1 },
    ]),
    refusedRows: [row(3, "soon"), row(4)],
  });
  const second = await sendRows(first, [row(5, "soon"), row(6, "soon")], {
    ...options,
    send: async () => [],
  });
  expect(second).toMatchObject({ rows: 6, accepted: 2, refused: 4 });
  expect(second.findings[0]).toEqual({ kind: "refused", message: "noTime soon", firstRow: 3, count: 3 });
});

test.each([
  [
    {},
    "engage import orders.csv --project 1 --map '#event_name=Event' --map '#account_id=User' --map '#time=ordered at'",
  ],
  [{ event: { kind: "text", text: "order" } }, "--map '#event_name:=order'"],
])("the same import by command with %j", (changes, command) =>
  expect(commandOf(sample, { ...guessMapping(sample), ...(changes as Partial<Mapping>) }, 1n)).toContain(
    command,
  ),
);
