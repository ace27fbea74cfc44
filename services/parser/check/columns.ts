import { quoteText } from "../../../base/text/quote.ts";
import type { ColumnConfig, FormatConfigOf } from "../formats/config.ts";
import type { ConfigPath, ConfigProblem } from "../mapping/problems.ts";
import { splitTemplate } from "../mapping/template.ts";
import { isName, isRecordKey, nameRule } from "./names.ts";

/** Finds columns that are split before they are read, and columns that become properties with invalid names. */
export function checkColumns(format: FormatConfigOf<"delimited">, at: ConfigPath): ConfigProblem[] {
  const isRead = readFieldsOf(format);
  return format.columns.flatMap((column, index): ConfigProblem[] => {
    const path = [...at, "columns", index];
    const inner = format.quotes === "off" ? innerSeparatorsOf(column) : [];
    const cut = inner.find((separator) => format.separator.some((outer) => separator.includes(outer)));
    const problems: ConfigProblem[] = [];
    if (cut !== undefined) {
      const message = `${quoteText(cut)} also separates the columns, so the line is split there first: use another separator, or quotes: double`;
      problems.push({ path, message });
    }
    const { name } = column;
    if (!isName(name) && !isRecordKey(name) && !isRead(name)) {
      const message = `the column ${quoteText(name)} is kept as a property, but its name is not valid: ${nameRule}; map it, or set rest: drop`;
      problems.push({ path, message });
    }
    return problems;
  });
}

function innerSeparatorsOf({ type, separator, itemSeparator, parts }: ColumnConfig): readonly string[] {
  if (type === "list") return separator === undefined ? [] : [separator];
  if (type !== "tuples") return [];
  const lists = (parts ?? []).flatMap((part) => part.separator ?? []);
  return [separator ?? "|", itemSeparator ?? ",", ...lists];
}

/** Returns whether a column does not become a property of its own name. */
function readFieldsOf({ mapping, rest }: FormatConfigOf<"delimited">): (name: string) => boolean {
  if (rest === "drop") return () => true;
  if (rest === "all") return () => false;
  const fields = Object.values(mapping).flatMap(({ from, template }) => {
    const pieces = template === undefined ? [] : splitTemplate(template);
    const inTemplate = typeof pieces === "string" ? [] : pieces;
    return [from, ...inTemplate.map((piece) => (typeof piece === "string" ? undefined : piece.path))];
  });
  const read = new Set(fields);
  return (name) => read.has(name);
}
