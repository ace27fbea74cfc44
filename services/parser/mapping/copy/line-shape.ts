import { type Bytes, bytesOf } from "../../output/byte-sink.ts";
import type { GetValue, SlotTable } from "../fields.ts";
import type { IsNull, Target } from "../members.ts";
import type { Plan } from "../plan.ts";
import { idKeys } from "../record.ts";

export interface CopyRules {
  readonly required: readonly { readonly path: string; readonly get: GetValue }[];
  readonly root: readonly Target[];
  readonly inside: readonly Target[];
  readonly needsId: boolean;
  readonly isNull: IsNull;
}

/**
 * A target as it is written after a comma: `literals[0]` with its key, a field, `literals[1]`, a field and so on. A
 * target without literals is read as a value.
 */
export interface Member {
  readonly target: Target;
  readonly head: Bytes;
  readonly literals: readonly Bytes[];
  /** Places of the fields; 0 for a field that the line does not have. */
  readonly fields: readonly number[];
  /** Whether the fields are parts of a text. */
  readonly isText: boolean;
  readonly isId: boolean;
}

/** A plan prepared for copying lines. */
export interface LineShape {
  readonly plan: Plan;
  readonly heads: readonly Bytes[];
  /** Places of the fields that become values because an entry converts them. */
  readonly read: readonly number[];
  readonly root: readonly Member[];
  readonly inside: readonly Member[];
}

/** Returns the slots that are read as values: by entries that do not only copy, and by `required`. */
export function slotsToRead({ required, root, inside }: CopyRules, table: SlotTable): ReadonlySet<number> {
  const targets = [...root, ...inside].filter(({ copyable: fixed }) => fixed === undefined);
  const paths = [...required.map(({ path }) => path), ...targets.flatMap((target) => target.paths)];
  return new Set(paths.flatMap((path) => [path, path.split(".")[0]!]).map(table.numberOf));
}

export function shapeOf(
  plan: Plan,
  rules: CopyRules,
  readSlots: ReadonlySet<number>,
  table: SlotTable,
): LineShape {
  const { keys, places } = plan;
  const isCopied = !plan.isWide && plan.propertiesAt === 0 && keys.length > 0;
  const heads = keys.map((key, index) => `${index === 0 ? "{" : ","}${JSON.stringify(key)}:`);
  const memberOf = (target: Target) => compileMember(target, plan, table);
  return {
    plan,
    // No line begins with this head.
    heads: (isCopied ? heads : ["none"]).map(bytesOf),
    read: [...new Set([...readSlots].map((slot) => places[slot]!))].filter((place) => place > 0),
    root: rules.root.map(memberOf),
    inside: rules.inside.map(memberOf),
  };
}

function compileMember(target: Target, { places }: Plan, table: SlotTable): Member {
  const { copyable: fixed } = target;
  const key = target.head.next;
  const placeOf = (field: string): number => places[table.numberOf(field)]!;
  const member = (texts: readonly string[], fields: readonly string[], isText = false): Member => ({
    target,
    head: bytesOf(key),
    literals: texts.map(bytesOf),
    fields: fields.map(placeOf),
    isText,
    isId: idKeys.includes(target.key),
  });
  if (fixed === undefined) return member([], []);
  if ("field" in fixed) return member([key, ""], [fixed.field]);
  if ("constant" in fixed)
    return member(isSimple(fixed.constant) ? [key + JSON.stringify(fixed.constant)] : [], []);
  const texts = [`${key}"`];
  const fields: string[] = [];
  for (const piece of fixed.pieces) {
    if (typeof piece === "string") texts.push(texts.pop()! + JSON.stringify(piece).slice(1, -1));
    else {
      fields.push(piece.path);
      texts.push("");
    }
  }
  texts.push(`${texts.pop()}"`);
  return member(texts, fields, true);
}

/** Other constants are not copied: they cannot be written, or not always. */
function isSimple(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}
