import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputMethod } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import { checkContent } from "../../../../services/channel/content/check-content.ts";
import { compileElement } from "../../../../services/channel/content/element.ts";
import { compileReceipts } from "../../../../services/channel/content/receipts.ts";
import { sampleContent } from "../../../../services/channel/content/sample.ts";
import { checkElements } from "../../../../services/webhook/receive/elements.ts";
import { scanBatch } from "../../../../services/webhook/receive/scan.ts";
import { channelWith, contentOf } from "./template.ts";

const receipts = compileReceipts({
  projectId: 1,
  origin: { kind: "task", taskId: "t1", taskInstanceId: "t1_2024-01-01", execDetailId: "5" },
  groupId: "",
  language: "",
})("r1");

describe("an element", () => {
  it("is all text, with properties, defaults and rows", () => {
    const content = contentOf(
      { title: 'a "b"\n', body: "{name}: {{{level}}}", count: "3" },
      { items: [{ item_id: "7" }] },
    );
    const element = compileElement(channelWith(), content);
    expect(element.properties).toEqual(["name", "level"]);
    expect(JSON.parse(element.write("u1", ['"Ann"', ""], receipts))).toEqual({
      push_id: "u1",
      params: {
        title: 'a "b"\n',
        body: '"Ann": {}',
        count: "3",
        kind: "",
        day: "",
        at: "",
        items: [{ item_id: "7", number: "" }],
      },
      custom_params: { level: "0", nick: '"Ann"' },
      "#ops_receipt_properties": JSON.parse(receipts),
    });
  });

  it("has empty texts for what is not given, also by names that every object has", () => {
    const contentTemplate = [
      { name: "toString", inputMethod: InputMethod.TEXT },
      { name: "rows", inputMethod: InputMethod.ARRAY_ROW, columns: ["id", "constructor"] },
    ];
    const element = compileElement(channelWith({ contentTemplate }), contentOf({}, { rows: [{ id: "7" }] }));
    expect(JSON.parse(element.write("u", ["", ""], "{}")).params).toEqual({
      toString: "",
      rows: [{ id: "7", constructor: "" }],
    });
  });

  it.each([
    ["the default rows", {}, [{ id: "1", count: "" }]],
    ["the default rows for none", { items: [] }, [{ id: "1", count: "" }]],
    ["rows of its own", { items: [{ count: "2" }] }, [{ id: "", count: "2" }]],
  ])("has %s", (_what, rows, items) => {
    const defaultRows = { rows: [{ cells: { id: "1" } }] };
    const columns = ["id", "count"];
    const field = { name: "items", inputMethod: InputMethod.ARRAY_ROW, columns, defaultRows, required: true };
    const channel = channelWith({ contentTemplate: [field] });
    const content = contentOf({}, rows);
    expect(checkContent(channel, content)).toEqual([]);
    expect(JSON.parse(compileElement(channel, content).write("u", ["", ""], "{}")).params).toEqual({ items });
  });

  it("of a sample has the default rows", () => {
    const defaultRows = { rows: [{ cells: { id: "5" } }] };
    const field = { name: "items", inputMethod: InputMethod.ARRAY_ROW, columns: ["id"], defaultRows };
    const channel = channelWith({ contentTemplate: [field] });
    const element = compileElement(channel, sampleContent(channel, undefined));
    expect(JSON.parse(element.write("u", ["", ""], "{}")).params).toEqual({ items: [{ id: "5" }] });
  });

  it("of a channel without fields has empty objects", () => {
    const element = compileElement(channelWith({ contentTemplate: [], customParameters: [] }), contentOf({}));
    expect(element.write("u", [], "{}")).toBe(
      '{"push_id":"u","params":{},"custom_params":{},"#ops_receipt_properties":{}}',
    );
  });

  it("is what a receiver takes, whatever the texts", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(
        text,
        text,
        fc.string({ minLength: 1 }),
        fc.array(text, { minLength: 2, maxLength: 2 }),
        (title, cell, pushId, texts) => {
          const element = compileElement(channelWith(), contentOf({ title }, { items: [{ number: cell }] }));
          const body = Buffer.from(`[${element.write(pushId, texts, receipts)}]`);
          const scanned = scanBatch(body, { maxElements: 500, maxDepth: 64 });
          const checked = checkElements(body, scanned);
          expect(checked).toMatchObject({ failures: [], requestId: "r1" });
          expect(checked.accepted[0]?.pushId).toBe(pushId.toWellFormed());
          expect(JSON.parse(body.toString())[0].params.title).toBe(title.toWellFormed());
        },
      ),
    );
  });

  it("of a sample has something everywhere", () => {
    const channel = channelWith();
    const element = compileElement(channel, sampleContent(channel, undefined));
    expect(JSON.parse(element.write("u", ["", ""], "{}")).params).toEqual({
      title: "sample",
      body: "hello ",
      count: "1",
      kind: "a",
      day: "2024-01-01",
      at: "2024-01-01 00:00:00",
      items: [{ item_id: "1", number: "1" }],
    });
  });
});
