import { describe, expect, it } from "vitest";
import { toText } from "../../../../cmd/serve/log/text.ts";

describe("toText", () => {
  it.each([
    [
      { level: "info", time: "2026-01-02T03:04:05.678Z", msg: "call", method: "a.B/C", ms: 1.5, ok: true },
      "03:04:05.678 INFO  call method=a.B/C ms=1.5 ok=true\n",
    ],
    [{ level: "warn", msg: "a\u001b[2Jb", x: "1\n2" }, ' WARN  "a\\u001b[2Jb" x="1\\n2"\n'],
    [{ level: "warn", msg: "a\u202eb\u0085" }, ' WARN  "a\\u202eb\\u0085"\n'],
    [{ level: "info", list: [1, "a"], nested: { a: 1 } }, ' INFO   list=[1,"a"] nested={"a":1}\n'],
    [
      { level: "error", msg: "failed", err: { message: "x", stack: "Error: x\n    at a\u001b" } },
      " ERROR failed\n    Error: x\n        at a\u001b\n".replace("    at a\u001b", '"    at a\\u001b"'),
    ],
  ])("writes %j", (fields, expected) => {
    expect(toText(JSON.stringify(fields))).toBe(expected);
  });

  it("leaves alone what is not JSON", () => {
    expect(toText("plain\n")).toBe("plain\n");
  });
});
