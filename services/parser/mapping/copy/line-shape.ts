import { type HeadWords, headWordsOf } from "../../../../base/bytes/literal.ts";
import type { GetValue, SlotTable } from "../fields.ts";
import type { IsNull, Target } from "../members.ts";
import type { Plan } from "../plan.ts";
import { type JoinedRecord, joinRecord } from "./joined-record.ts";
import { compileMember, type Member } from "./member.ts";

export interface CopyRules {
  readonly required: readonly { readonly path: string; readonly get: GetValue }[];
  readonly root: readonly Target[];
  readonly inside: readonly Target[];
  readonly needsId: boolean;
  readonly isNull: IsNull;
}

/** A plan prepared for copying lines. */
export interface LineShape {
  readonly plan: Plan;
  readonly heads: readonly HeadWords[];
  /** Places of the fields that become values because an entry converts them. */
  readonly read: readonly number[];
  readonly root: readonly Member[];
  readonly inside: readonly Member[];
  /** The whole record; undefined where a member is read. */
  readonly joined: JoinedRecord | undefined;
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
  const root = rules.root.map(memberOf);
  const inside = rules.inside.map(memberOf);
  return {
    plan,
    // No line begins with this head.
    heads: (isCopied ? heads : ["none"]).map(headWordsOf),
    read: [...new Set([...readSlots].map((slot) => places[slot]!))].filter((place) => place > 0),
    root,
    inside,
    joined: joinRecord({ root, inside }, plan),
  };
}
