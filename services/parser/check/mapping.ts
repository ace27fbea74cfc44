import { hintNearest } from "../../../base/text/known-names.ts";
import { quoteText } from "../../../base/text/quote.ts";
import type { MappedFormatConfig } from "../formats/config.ts";
import type { ConfigPath, ConfigProblem } from "../mapping/problems.ts";
import { idKeys, rootKeys } from "../mapping/record.ts";
import { checkConstant, checkSource } from "./entry.ts";
import { isName, isRecordKey, nameRule, presets } from "./names.ts";

/** Checks the targets and constants of the mapping of one format. */
export function checkMapping(format: MappedFormatConfig, at: ConfigPath): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const { mapping } = format;
  const before = new Map<string, string>();
  for (const [target, entry] of Object.entries(mapping)) {
    const path = [...at, "mapping", target];
    const add = (message: string) => problems.push({ path, message });
    checkTarget(target, { mapping, before }, add);
    before.set(target.toLowerCase(), target);
    checkSource(target, entry, add);
    if (entry.value !== undefined) checkConstant(target, entry.value, add);
  }
  const missing = missingOf(format);
  if (missing !== undefined) problems.push({ path: [...at, "mapping"], message: missing });
  return problems;
}

/** Returns the fields of a line whose names can be record keys; undefined where lines can have any field. */
function fieldsWithHashOf(format: MappedFormatConfig): readonly string[] | undefined {
  if (format.type === "json" || format.type === "logfmt") return undefined;
  return format.type === "delimited" ? format.columns.map(({ name }) => name) : [];
}

function checkTarget(
  target: string,
  { mapping, before }: { readonly mapping: object; readonly before: ReadonlyMap<string, string> },
  add: (message: string) => void,
): void {
  if (target.startsWith("#")) {
    if (!isRecordKey(target)) add(unknownPreset(target));
  } else if (!isName(target)) {
    const preset = `#${target}`;
    const hint = isRecordKey(preset) ? `, the nearest is ${quoteText(preset)}` : "";
    add(`${quoteText(target)} is not a valid property name: ${nameRule}${hint}`);
  } else if (rootWords.includes(target) && !Object.hasOwn(mapping, `#${target}`)) {
    add(
      `${quoteText(target)} becomes a property: the field of the record is ${quoteText(`#${target}`)}, in quotes`,
    );
  }
  const other = before.get(target.toLowerCase());
  if (other !== undefined && !rootKeys.has(target))
    add(
      `${quoteText(target)} and ${quoteText(other)} are the same property, since the case of names does not count`,
    );
}

/** Names that are probably meant as record keys, not as properties. */
const rootWords: readonly string[] = ["event_name", "account_id", "distinct_id"];

function unknownPreset(target: string): string {
  const names = [...rootKeys, ...presets];
  // Short names are near to almost every name.
  const nearest = target.length < 6 ? "" : hintNearest(target, names);
  const own = target.slice(1);
  const instead = isName(own)
    ? ` of your own are written without it: ${own}`
    : " of your own are written without it";
  return `${quoteText(target)} is not known${nearest}: only the platform's fields (${[...rootKeys].join(", ")}) and presets such as #os begin with #, properties${instead}`;
}

/** Returns a message about keys that records need and these never have. */
function missingOf(format: MappedFormatConfig): string | undefined {
  const { mapping, rest } = format;
  const targets = Object.keys(mapping);
  if (targets.length === 0 && rest === "drop")
    return "no field is mapped and the rest is dropped, so all records are empty: map fields, or set rest: keep";
  // Records for other systems need no keys of the platform.
  if (!targets.some((target) => rootKeys.has(target))) return undefined;
  const known = fieldsWithHashOf(format);
  const canHave = (key: string) =>
    targets.includes(key) || (rest !== "drop" && (known === undefined || known.includes(key)));
  const missing = ["#type", "#time"].filter((key) => !canHave(key));
  const type = mapping["#type"]?.value;
  const isEvent = typeof type === "string" && type.startsWith("track");
  if (isEvent && !canHave("#event_name")) missing.push("#event_name");
  if (!idKeys.some(canHave)) missing.push(idKeys.join(" or "));
  return missing.length === 0
    ? undefined
    : `records have no ${missing.join(" and no ")}, so the event collector refuses them: map it`;
}
