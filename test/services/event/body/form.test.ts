import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readForm } from "../../../../services/event/body/form.ts";
import { boundaryOf, readMultipart } from "../../../../services/event/body/multipart.ts";

const textsOf = (fields: ReadonlyMap<string, Buffer>): Record<string, string> =>
  Object.fromEntries(Array.from(fields, ([name, value]) => [name, value.toString()]));

describe("forms", () => {
  it("are read as URLSearchParams reads them", () => {
    const forms = fc.string({ unit: fc.constantFrom(..."abd=&&==%%+2fF0 \u0000~".split("")) });
    fc.assert(
      fc.property(forms, (form) => {
        const parameters = new URLSearchParams(form);
        const first = Object.fromEntries(
          Array.from(parameters.keys(), (name) => [name, parameters.get(name)] as const),
        );
        expect(textsOf(readForm(Buffer.from(form)))).toEqual(first);
      }),
      { examples: [["&data=a+b%20c&data=2"], ["%64ata=%zz%4"], ["a=%e9"], ["&&="]] },
    );
  });

  it.each([
    ["&a", 1_048_576],
    ["a=1&", 1_001],
    ["%26", 1_001],
  ])("of %j many times are refused or one parameter", (piece, times) => {
    const form = Buffer.from(`${piece.repeat(times)}`);
    expect(() => textsOf(readForm(Buffer.concat([form, Buffer.from("&".repeat(1_001))])))).toThrow(
      "Data format error, more than 1000 parameters",
    );
  });

  it("leave out names that are longer than any", () => {
    const form = Buffer.from(`${"n".repeat(1_000_000)}=1&${"m".repeat(1_000_000)}&data=x`);
    expect(textsOf(readForm(form))).toEqual({ data: "x" });
  });
});

const part = (head: string, value: string): string => `--B\r\n${head}\r\n\r\n${value}\r\n`;
const named = 'Content-Disposition: form-data; name="data"';

describe("multipart forms", () => {
  it.each<[string, string, Record<string, string>]>([
    ["one field", `${part(named, "x=&y")}--B--\r\n`, { data: "x=&y" }],
    ["without the last line end", `${part(named, "x")}--B--`, { data: "x" }],
    ["an empty value", `${part(named, "")}--B--`, { data: "" }],
    ["text before the first delimiter", `hello\r\n${part(named, "x")}--B--`, { data: "x" }],
    [
      "several fields, of which the first of a name counts",
      `${part(named, "x")}${part(named, "y")}${part("content-disposition:form-data;name=appid", "a")}--B--`,
      { data: "x", appid: "a" },
    ],
    [
      "a file with a type",
      `${part('Content-Disposition: form-data; filename="a; name=b"; name="data"\r\nContent-Type: text/plain', "x\r\ny")}--B--`,
      { data: "x\r\ny" },
    ],
    ["a part without a name", `${part("Content-Type: text/plain", "x")}--B--`, {}],
    ["a part without headers", `--B\r\n\r\nx\r\n--B--`, {}],
    ["blanks after a delimiter", `--B \t\r\n${named}\r\n\r\nx\r\n--B--`, { data: "x" }],
    ["the delimiter within a line", `${part(named, "x--B")}--B--`, { data: "x--B" }],
  ])("%s", (_name, body, fields) => {
    expect(textsOf(readMultipart(Buffer.from(body), "B"))).toEqual(fields);
  });

  it.each([
    ["nothing", ""],
    ["another boundary", part(named, "x").replaceAll("--B", "--C")],
    ["no end", part(named, "x")],
    ["headers without end", `--B\r\n${named}\r\n--B--`],
    ["text after a delimiter", `--Bx\r\n${named}\r\n\r\nx\r\n--B--`],
    ["headers of a megabyte", `${part(`${named}${"x".repeat(1_048_576)}`, "x")}--B--`],
  ])("refuses %s", (_name, body) => {
    expect(() => readMultipart(Buffer.from(body), "B")).toThrow("Data format error, not multipart form data");
  });

  it("refuses more parts than any SDK sends", () => {
    const body = `${part("a:b", "").repeat(100_000)}--B--`;
    expect(() => readMultipart(Buffer.from(body), "B")).toThrow(
      "Data format error, more than 1000 parameters",
    );
  });

  it.each([
    ["multipart/form-data; boundary=abc", "abc"],
    ['Multipart/Form-Data; charset=utf-8; boundary="a b;c"', "a b;c"],
    ['multipart/form-data; x="boundary=no"; boundary=yes', "yes"],
    ["multipart/form-data", undefined],
    ["application/json; boundary=abc", undefined],
    ["", undefined],
  ])("%j has the boundary %j", (contentType, boundary) => {
    expect(boundaryOf(contentType)).toBe(boundary);
  });
});
