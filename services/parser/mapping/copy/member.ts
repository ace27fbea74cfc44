import { type Bytes, bytesOf } from "../../../../base/bytes/byte-sink.ts";
import type { SlotTable } from "../fields.ts";
import type { Target } from "../members.ts";
import type { Plan } from "../plan.ts";
import { idKeys } from "../record.ts";
import type { Piece } from "../template.ts";

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

export function compileMember(target: Target, { places }: Plan, table: SlotTable): Member {
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
  const [first, ...others] = textsAroundFields(fixed.pieces);
  const fields = fixed.pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece.path]));
  return member([key + first!, ...others], fields, true);
}

/** Returns the texts of a template before, between and after its fields, as JSON with the quotes around all. */
export function textsAroundFields(pieces: readonly Piece[]): string[] {
  const texts = ['"'];
  for (const piece of pieces) {
    if (typeof piece === "string") texts.push(texts.pop()! + JSON.stringify(piece).slice(1, -1));
    else texts.push("");
  }
  texts.push(`${texts.pop()}"`);
  return texts;
}

/** Other constants are not copied: they cannot be written, or not always. */
export function isSimple(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}
