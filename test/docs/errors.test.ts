import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { analysisCodes, statusCodes } from "../../docs/generate/errors/codes.ts";
import { writeErrors } from "../../docs/generate/errors/errors.ts";
import {
  analysisReasons,
  fieldReasons,
  gatewayReasons,
  keyReasons,
} from "../../docs/generate/errors/reasons.ts";
import { importReasons, lineReasons, recordReasons } from "../../docs/generate/errors/records.ts";
import { returnCodes } from "../../services/analysis/refusal/refusal.ts";
import { loadRefusals } from "../../services/event/load/prepared.ts";
import { refusalReasons } from "../../services/event/record/record.ts";
import { failureReasons } from "../../services/parser/line/line.ts";

/** Names in capitals that are no reasons of errors. */
const others: readonly RegExp[] = [
  /^ENGAGE_/,
  /^(?:E[A-Z]+_AGAIN|EAI_AGAIN|ERR_|UND_ERR_|HPE_|CSV_|UV_)/,
  /^INVALID_OPENING_QUOTE$/,
  // Faults of certificates.
  /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/,
  // A word of queries.
  /^TRIG_USER_NUM$/,
  // Names of the status codes of gRPC.
  /^(?:INVALID_ARGUMENT|DEADLINE_EXCEEDED|NOT_FOUND|ALREADY_EXISTS|PERMISSION_DENIED|RESOURCE_EXHAUSTED)$/,
  /^(?:FAILED_PRECONDITION|OUT_OF_RANGE|DATA_LOSS)$/,
];

const documented = [gatewayReasons, keyReasons, fieldReasons, analysisReasons].flatMap(Object.keys);

/** All names in capitals with an underscore in the sources that make errors. */
function namesInSources(): readonly string[] {
  const found = ["base", "cmd/serve", "gateway", "services"]
    .flatMap((layer) =>
      readdirSync(layer, { recursive: true, encoding: "utf8" }).map((name) => join(layer, name)),
    )
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => [...readFileSync(path, "utf8").matchAll(/["`]([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)["`]/g)])
    .map((match) => match[1]!);
  return [...new Set(found)].filter((name) => !others.some((pattern) => pattern.test(name)));
}

describe("the page of errors", () => {
  it("has every reason in the code", () => {
    expect(namesInSources().filter((name) => !documented.includes(name))).toEqual([]);
  });

  it("has only reasons in the code", () => {
    // Names without an underscore, and those that the catalogue makes of the name of a field.
    const made = ["INTERNAL", "EVENT_UNKNOWN", "PROPERTY_UNKNOWN"];
    const known = [...namesInSources(), ...made];
    expect(documented.filter((name) => !known.includes(name))).toEqual([]);
    const catalogue = readFileSync("services/analysis/catalog/refusals.ts", "utf8");
    expect(catalogue).toContain('field: "event" | "property"');
    expect(catalogue).toMatch(/\{field\.toUpperCase\(\)\}_UNKNOWN/);
  });

  it("has every code", () => {
    expect(Object.keys(statusCodes)).toEqual(
      Object.values(Code)
        .filter((code) => typeof code === "number")
        .map(String),
    );
    expect(Object.keys(analysisCodes).sort()).toEqual(Object.values(returnCodes).map(String).sort());
  });

  it("has every reason of lines and records", () => {
    expect(Object.keys(recordReasons).sort()).toEqual([...refusalReasons, ...loadRefusals].sort());
    const page = writeErrors();
    for (const reason of failureReasons) expect(page).toContain(`| \`${reason}\` |`);
  });

  it("has every reason of imports", () => {
    const files = readFileSync("cmd/import/files.ts", "utf8");
    const reasons = [...files.matchAll(/reason: "(\w+)"/g)].map(([, reason]) => reason);
    expect(reasons.length).toBeGreaterThan(0);
    const known = { ...lineReasons, ...importReasons };
    expect(reasons.filter((reason = "") => !(reason in known))).toEqual([]);
  });

  it("has the status of REST", () => {
    const page = writeErrors();
    expect(page).toContain("| `UNAVAILABLE` | 14 | 503 |");
    expect(page).toContain("| `MESSAGE_TOO_LARGE` | 413 |");
  });
});
