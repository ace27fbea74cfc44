import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createYield } from "../../../base/async/yield.ts";
import { parseWithBigInts } from "../../../base/json/exact-numbers.ts";
import {
  decodeSpoolLine,
  decodeSpoolLineYielding,
  encodeRawSpoolLines,
  encodeSpoolLine,
} from "../../../services/event/spool-line.ts";

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe("line of the spool", () => {
  it("gives back the records of a body, however it is laid out", () => {
    const layout = fc.constantFrom(undefined, 0, 2, "\t", "\r\n");
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), layout, fc.nat(), fc.nat(), (records, indent, p, r) => {
        const body = JSON.stringify(records, null, indent).replaceAll("\n", "\r\n");
        const line = text(encodeSpoolLine(p, r, Buffer.from(body)));
        expect(line).not.toMatch(/[\r\n]/);
        expect(decodeSpoolLine(line)).toEqual({
          projectId: p,
          receivedMs: r,
          records: parseWithBigInts(JSON.stringify(records)),
        });
      }),
    );
  });

  it("holds one record too", () => {
    expect(decodeSpoolLine(text(encodeSpoolLine(1, 2, Buffer.from('{\n"a":1}'))))?.records).toEqual([
      { a: 1 },
    ]);
  });

  it("names the app id of its sender, whatever is in it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (appid) => {
        const line = text(encodeSpoolLine(1, 2, Buffer.from("[1]"), appid));
        expect(decodeSpoolLine(line)).toEqual({ projectId: 1, receivedMs: 2, appid, records: [1] });
      }),
      { examples: [['","b":[2],"x":"'], ["é\u0000"]] },
    );
    expect(decodeSpoolLine('{"p":1,"r":2,"a":3,"b":[]}')).toBeUndefined();
  });

  it.each([90_000_000, -3_600_000])("tells by how much its clock was ahead: %i ms", async (driftMs) => {
    const record = `{"a":"${"x".repeat(70_000)}"}`;
    for (const body of ["[1]", `[${record}]`]) {
      const bytes = encodeSpoolLine(1, 100_000_000, Buffer.from(body), "app", driftMs);
      const expected = {
        projectId: 1,
        receivedMs: 100_000_000,
        steadyMs: 100_000_000 - driftMs,
        appid: "app",
        records: JSON.parse(body),
      };
      expect(decodeSpoolLine(text(bytes))).toEqual(expected);
      expect(await decodeSpoolLineYielding(Buffer.from(bytes), createYield())).toEqual(expected);
    }
    expect(decodeSpoolLine('{"p":1,"r":2,"d":"3","b":[]}')).toBeUndefined();
  });

  const long = `[${'{"a":"]","n":12345678901234567890,"é":[1]} ,'.repeat(4_000)}{}]`;
  it.each<[string, string]>([
    ["a long list", text(encodeSpoolLine(1, 2, Buffer.from(long)))],
    ["a long list of a sender", text(encodeSpoolLine(1, 2, Buffer.from(long), 'é","b":['))],
    [
      "a long list with its checksum",
      text(encodeSpoolLine(1, 2, Buffer.from(long))).replace(/\}$/, ',"#crc":"0a1b2c3d"}'),
    ],
    ["one long record", text(encodeSpoolLine(1, 2, Buffer.from(`{"l":${long}}`)))],
    ["a short list", text(encodeSpoolLine(1, 2, Buffer.from("[1,2]")))],
    ["a raw line", text(encodeRawSpoolLines(1, 2, Buffer.from(`{"l":${long}}`))).trimEnd()],
    ["what is no line", `${long} `],
    ["a line with more after its list", text(encodeSpoolLine(1, 2, Buffer.from(long))).replace(/\}$/, "]}")],
    ["a line that is cut", text(encodeSpoolLine(1, 2, Buffer.from(long))).slice(0, -100)],
  ])("is read in turns as at once: %s", async (_name, line) => {
    expect(await decodeSpoolLineYielding(Buffer.from(line), createYield())).toEqual(decodeSpoolLine(line));
  });

  it.each(["", "null", "1", "{}", '{"p":1,"r":2}', '{"p":"1","r":2,"b":[]}', '{"p":1,"r":2,"b":['])(
    "is not %j",
    (line) => expect(decodeSpoolLine(line)).toBeUndefined(),
  );
});

describe("raw lines", () => {
  const encode = (lines: string) =>
    text(encodeRawSpoolLines(7, 8, Buffer.from(lines)))
      .split("\n")
      .filter(Boolean);

  it("are one line of the spool each, without empty ones", () => {
    expect(encode('{"a":1}\r\n\n\r\n{"b":2}').map(decodeSpoolLine)).toEqual([
      { projectId: 7, receivedMs: 8, records: [{ a: 1 }] },
      { projectId: 7, receivedMs: 8, records: [{ b: 2 }] },
    ]);
    expect(encode("")).toEqual([]);
  });

  it("stay lines of their project, whatever stands in them", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('1,"p":3', '1,"p":3,"r":4,"b":[]', '1}{"p":3')),
        (line) => {
          const decoded = encode(line.replaceAll(/[\r\n]/g, "")).map(decodeSpoolLine);
          expect(
            decoded.every((one) => one === undefined || (one.projectId === 7 && one.receivedMs === 8)),
          ).toBe(true);
        },
      ),
    );
  });
});
