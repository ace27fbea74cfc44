import fc from "fast-check";
import { expect, it } from "vitest";
import { JsonCursor } from "../../../../base/json/cursor.ts";
import {
  createRecordShapes,
  findRecords,
  type RecordShapes,
} from "../../../../services/event/body/record-list.ts";
import { casesOf } from "../../../thorough.ts";

const valid = ['"x"', '""', "7", "-0.5e3", "true", "false", "null", '"a\\n"', '"é漢😀"', "[[1]]", '{"k":{}}'];
const invalid = ['"\u0001"', '"\\x"', '"\\"', "01", "1.", "NaN", "", "[1", "}"];
const value = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...valid) },
  { weight: 5, arbitrary: fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.constantFrom(...invalid) },
);
const templates: ((v: string, w: string) => string)[] = [
  (v, w) => `{"#type":"track","#time":${v},"properties":{"a":${w},"b":[1,"x"]}}`,
  (v, w) => ` { "#type" : "user_set" , "properties" : {"a":${w},"c":${v}} }\n`,
  (v) => v,
];
const record = fc
  .tuple(fc.constantFrom(...templates), value, value)
  .map(([template, v, w]) => template(v, w));
const damage = fc.option(fc.tuple(fc.nat(), fc.constantFrom(...Buffer.from('\0 "\\,:0a{[]}'))), { freq: 1 });

async function find(bytes: Buffer, shapes?: RecordShapes): Promise<unknown> {
  const cursor = new JsonCursor(bytes, Number.POSITIVE_INFINITY);
  try {
    const list = await findRecords(cursor, () => undefined, shapes);
    return [list, cursor.at, cursor.deepest, cursor.depth];
  } catch (error) {
    return (error as Error).message;
  }
}

it("finds the same records by shape", async () => {
  const shapes = createRecordShapes();
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 12 }), damage, async (records, damaged) => {
      const bytes = Buffer.from(`[${records.join(",")}]`);
      if (damaged !== null) bytes[damaged[0] % bytes.length] = damaged[1];
      expect(await find(bytes, shapes)).toEqual(await find(bytes));
    }),
    { numRuns: casesOf(10_000) },
  );
});
