import { bare, knownNames } from "../../../base/text/known-names.ts";
import type { BatchElement, Route } from "../../../store/inbox/inbox.ts";
import { compilePaths, type Located, locate, type PathTree, textAt } from "../mapping/locate.ts";
import { messageRoots, parseMessagePath } from "../mapping/placeholder.ts";

/** The rule by which a target gets messages. */
export interface RoutingRule {
  /**
   * Valid values of fields: `task`, `language`, `params.<name>` or another path. A message must match all fields.
   * Undefined: every message.
   */
  readonly when?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Gets the messages that match the conditions of no other target of the channel. */
  readonly otherwise?: boolean | undefined;
  /** Messages of a push id are delivered one after the other. */
  readonly ordered?: boolean | undefined;
}

/** The routing of a configuration is not valid. The message names the channel or the target. */
export class RoutingError extends Error {
  override readonly name = "RoutingError";
}

/** Returns the routes of a channel's batch. An element may be in several. */
export type ChannelRouter = (batch: {
  readonly body: Uint8Array;
  readonly elements: readonly BatchElement[];
}) => readonly Route[];

/** Short names of receipt fields. */
const shortNames: Readonly<Record<string, string>> = {
  task: "#ops_receipt_properties.ops_task_id",
  language: "#ops_receipt_properties.ops_push_language",
};

/** Returns the path of a field in a condition; undefined if no message can have it. */
export function conditionPath(field: string): readonly string[] | undefined {
  return Object.hasOwn(shortNames, field) ? parseMessagePath(shortNames[field]!) : parseMessagePath(field);
}

/** Valid fields of conditions, for messages. */
export const validConditionFields: readonly string[] = [
  ...Object.keys(shortNames),
  ...messageRoots.map((root) => (root === "push_id" ? root : `${root}.<name>`)),
];

/** Says which fields a condition can have instead of one that no message has. */
export function knownFields(field: string): string {
  return knownNames(field, validConditionFields, { write: bare });
}

interface Condition {
  readonly slot: number;
  readonly values: ReadonlySet<string>;
}

interface CompiledRule {
  readonly target: string;
  readonly ordered: boolean;
  /** Undefined: messages that no other rule with conditions matches. */
  readonly conditions: readonly Condition[] | undefined;
}

/**
 * Compiles the routing of one channel to its targets.
 * @throws RoutingError for an unknown target or field, and if some messages would have no target
 */
export function compileRouter(
  channel: string,
  targets: readonly string[],
  rules: ReadonlyMap<string, RoutingRule>,
): ChannelRouter {
  const paths: (readonly string[])[] = [];
  const compiled = targets.map((target): CompiledRule => {
    const rule = rules.get(target);
    if (rule === undefined) throw new RoutingError(unknownTarget(channel, target, [...rules.keys()]));
    const { when = {}, otherwise = false, ordered = false } = rule;
    const conditions = Object.entries(when).map(([field, values]): Condition => {
      const path = conditionPath(field);
      if (path === undefined) throw new RoutingError(unknownField(target, field));
      return { slot: paths.push(path) - 1, values: new Set(typeof values === "string" ? [values] : values) };
    });
    return { target, ordered, conditions: otherwise ? undefined : conditions };
  });
  const isComplete = compiled.some(({ conditions }) => conditions === undefined || conditions.length === 0);
  if (compiled.length > 0 && !isComplete) {
    throw new RoutingError(
      `channel "${channel}" has conditions on all of its targets: messages that match none would have no target, set otherwise on one of ${targets.join(", ")}`,
    );
  }
  return routerOf(compiled, compilePaths(paths), paths.length);
}

function routerOf(rules: readonly CompiledRule[], tree: PathTree, slots: number): ChannelRouter {
  if (slots === 0) {
    const routes = rules.map(({ target, ordered }): Route => ({ target, indexes: "all", ordered }));
    return () => routes;
  }
  return ({ body, elements }) => {
    const indexes = rules.map((): number[] => []);
    for (const { index, start, end } of elements) {
      const json = body.subarray(start, end);
      const found = locate(json, tree, slots);
      const isChosen = rules.map(({ conditions }) => conditions?.every((one) => holds(one, json, found)));
      const isTaken = isChosen.some((chosen, at) => chosen === true && rules[at]!.conditions!.length > 0);
      isChosen.forEach((chosen, at) => {
        if (chosen ?? !isTaken) indexes[at]!.push(index);
      });
    }
    return rules.flatMap(({ target, ordered }, at): Route[] =>
      indexes[at]!.length === 0 ? [] : [{ target, indexes: indexes[at]!, ordered }],
    );
  };
}

/** Reports whether a message meets a condition. A missing value matches nothing. */
function holds(
  { slot, values }: Condition,
  json: Uint8Array,
  found: readonly (Located | undefined)[],
): boolean {
  const at = found[slot];
  return at !== undefined && values.has(textAt(json, at));
}

function unknownTarget(channel: string, target: string, known: readonly string[]): string {
  const valid = knownNames(target, known, { none: "webhook.targets is empty" });
  return `channel "${channel}" names the target "${target}", ${valid}`;
}

function unknownField(target: string, field: string): string {
  return `target "${target}" has a condition on "${field}", ${knownFields(field)}`;
}
