import { DeadLetterKind } from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";

/** The kinds by the names that the URL has. */
export const kinds = {
  webhook: DeadLetterKind.WEBHOOK,
  click: DeadLetterKind.CLICK,
  parser: DeadLetterKind.PARSER,
  record: DeadLetterKind.RECORD,
} as const;

export type KindName = keyof typeof kinds;

export const kindNames = Object.keys(kinds) as readonly KindName[];

export function nameOfKind(kind: DeadLetterKind): KindName {
  return kindNames.find((name) => kinds[name] === kind) ?? "webhook";
}

/** The filters that a kind has besides those of all. */
export const ownFilters: Readonly<Record<KindName, readonly ("channel" | "target" | "index" | "project")[]>> =
  {
    webhook: ["channel", "target"],
    click: ["index"],
    parser: ["index"],
    record: ["project"],
  };
