import { readFileSync } from "node:fs";
import type { JsonValue } from "@bufbuild/protobuf";

/** Reads one body of test/testdata/cases by its file name. */
export function readCase(file: string): JsonValue {
  return JSON.parse(readFileSync(new URL(`../testdata/cases/${file}`, import.meta.url), "utf8"));
}
