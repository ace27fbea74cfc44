import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { DeadLetterKind } from "../../../gen/engage/operations/v1/dead_letters_pb.ts";
import type { DeadLetterSource } from "./source.ts";

export type KindName = "webhook" | "click" | "parser" | "record";

/** The source of each kind. */
export type DeadLetterSources = Readonly<Record<KindName, DeadLetterSource>>;

/** The kinds in the order of their numbers. */
export const kindNames: readonly KindName[] = ["webhook", "click", "parser", "record"];

const numbers: Readonly<Record<KindName, DeadLetterKind>> = {
  webhook: DeadLetterKind.WEBHOOK,
  click: DeadLetterKind.CLICK,
  parser: DeadLetterKind.PARSER,
  record: DeadLetterKind.RECORD,
};

export function numberOf(kind: KindName): DeadLetterKind {
  return numbers[kind];
}

/** @throws InvalidFieldsError */
export function readKind(field: string, kind: DeadLetterKind): KindName {
  const found = kindNames.find((name) => numbers[name] === kind);
  if (found !== undefined) return found;
  const valid = kindNames.map((name) => `DEAD_LETTER_KIND_${name.toUpperCase()}`).join(", ");
  return kind === DeadLetterKind.UNSPECIFIED
    ? refuseField(field, `is required, valid are ${valid}`)
    : refuseField(field, `is ${kind}, valid are the numbers of ${valid}`);
}

/** Ids name their kind, so that one identifies a dead letter of any kind. */
export function writeId(kind: KindName, id: string): string {
  return `${kind}.${id}`;
}

/** Returns undefined for what is no id. */
export function readId(text: string): { readonly kind: KindName; readonly id: string } | undefined {
  const kind = kindNames.find((name) => text.startsWith(`${name}.`));
  return kind && { kind, id: text.slice(kind.length + 1) };
}
