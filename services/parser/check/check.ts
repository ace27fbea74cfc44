import type { ParserConfig } from "../config.ts";
import type { ConfigProblem } from "../mapping/problems.ts";
import { checkColumns } from "./columns.ts";
import { checkMapping } from "./mapping.ts";
import { checkReach } from "./reach.ts";

/**
 * Mistakes that keep no parser from running, but make records that nobody takes, or none: names that are not valid,
 * constants that mean nothing, formats that no line reaches. Each says how to mend it.
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
