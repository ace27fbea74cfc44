import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { z } from "zod";
import { withoutTextMark } from "../../base/text/byte-order-mark.ts";
import { describeReason } from "../../base/text/system-error.ts";
import type { ConfigPath } from "./problem.ts";
import { hasMeta, visit } from "./schema/walk.ts";
import { withValue } from "./tree.ts";

/** Reads the text of a file without the line end that editors and `echo` add. */
export function readSecretFile(file: string): string {
  // Some editors put a byte order mark before the text.
  return withoutTextMark(readFileSync(file, "utf8")).replace(/\r?\n$/, "");
}

/**
 * Replaces every secret given as `{ file: path }` with the content of the file.
 * @param folderOf returns the base of relative paths in a setting
 * @param fail called for a file that cannot be read, with the reason
 * @returns the tree, and the files by the JSON of their path in it
 */
export function readSecrets(
  schema: z.core.$ZodType,
  tree: unknown,
  folderOf: (path: ConfigPath) => string,
  fail: (path: ConfigPath, message: string) => void,
): { readonly tree: unknown; readonly files: ReadonlyMap<string, string> } {
  const files = new Map<string, string>();
  let result = tree;
  visit(schema, tree, (value, schemas, path) => {
    const file = fileOf(value);
    if (file === undefined || !schemas.some((one) => hasMeta(one, "secret"))) return;
    const fault = (message: string): void => {
      fail(path, message);
      // The value is valid, so that this fault is not reported twice.
      result = withValue(result, path, "unreadable");
    };
    try {
      const secret = readSecretFile(resolve(folderOf([...path, "file"]), file));
      if (secret === "") return fault(`the file ${JSON.stringify(file)} is empty`);
      result = withValue(result, path, secret);
      files.set(JSON.stringify(path), file);
    } catch (error) {
      fault(`cannot read the file ${JSON.stringify(file)}: ${describeReason(error)}`);
    }
  });
  return { tree: result, files };
}

function fileOf(value: unknown): string | undefined {
  if (value === null || typeof value !== "object") return undefined;
  const { file } = value as { file?: unknown };
  return typeof file === "string" && Object.keys(value).length === 1 ? file : undefined;
}
