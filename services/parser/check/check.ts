import type { ParserConfig } from "../config.ts";
import type { ConfigProblem } from "../mapping/problems.ts";
import { checkColumns } from "./columns.ts";
import { checkMapping } from "./mapping.ts";
import { checkReach } from "./reach.ts";

/**
 * Finds mistakes in formats that are valid, but lead to records that are refused later, or to none: invalid names,
 * meaningless constants, formats that no line reaches. Each message says how to correct it.
 */
export function checkFormats({ formats }: Pick<ParserConfig, "formats">): ConfigProblem[] {
  const own = formats.flatMap((format, index) => {
    const at = ["formats", index];
    if (format.type === "pass_through" || format.type === "module") return [];
    const columns = format.type === "delimited" ? checkColumns(format, at) : [];
    return [...columns, ...checkMapping(format, at)];
  });
  return [...own, ...checkReach(formats)];
}
