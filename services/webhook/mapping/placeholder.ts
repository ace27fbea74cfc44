import { nearestName } from "../../../base/text/nearest.ts";
import { shorten } from "../../../base/text/quote.ts";

/** Roots of the paths into a message. */
export const messageRoots = ["push_id", "params", "custom_params", "#ops_receipt_properties"] as const;

/** Names of values that belong to the delivery of a message. */
const deliveryNames = [
  "@message",
  "@delivery_id",
  "@batch_id",
  "@channel",
  "@target",
  "@request_id",
  "@index",
  "@attempt",
  "@accepted_time",
  "@replay",
] as const;

export type DeliveryName = (typeof deliveryNames)[number];

/** Names of values that all messages of a request share. */
export const batchNames = [
  "@batch_id",
  "@channel",
  "@target",
  "@request_id",
  "@attempt",
  "@accepted_time",
  "@replay",
] as const satisfies readonly DeliveryName[];

/** All valid beginnings of a placeholder. */
export const validNames: readonly string[] = [...messageRoots, ...deliveryNames];

/** A parsed placeholder. */
export type Placeholder =
  | { readonly kind: "path"; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: "delivery"; readonly name: DeliveryName };

/** A part of a text: constant or a placeholder. */
export type Piece = string | Placeholder;

/** A template is not valid. `path` has the keys and indexes from the root to the fault. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  readonly path: readonly (string | number)[];

  constructor(message: string, path: readonly (string | number)[]) {
    super(message);
    this.path = path;
  }
}

/**
 * Parses a text with placeholders such as `{params.title}`. `{{` and `}}` stand for braces.
 * @throws TemplateError
 */
export function parseText(text: string, at: readonly (string | number)[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let fixed = "";
  const token = /\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+/g;
  for (const [part, inner] of text.matchAll(token)) {
    if (part === "{" || part === "}") {
      throw new TemplateError(
        `has a lone "${part}" in ${JSON.stringify(text)}, write "${part}${part}" for the character itself`,
        at,
      );
    }
    if (inner === undefined) {
      fixed += part === "{{" || part === "}}" ? part[0] : part;
      continue;
    }
    if (fixed !== "") pieces.push(fixed);
    fixed = "";
    pieces.push(parsePlaceholder(inner, at));
  }
  if (fixed !== "" || pieces.length === 0) pieces.push(fixed);
  return pieces;
}

/** @throws TemplateError */
function parsePlaceholder(name: string, at: readonly (string | number)[]): Placeholder {
  const known = deliveryNames.find((one) => one === name);
  if (known !== undefined) return { kind: "delivery", name: known };
  const path = parseMessagePath(name);
  if (path !== undefined) return { kind: "path", name, path };
  const valid = [...messageRoots, "params.<name>", ...deliveryNames].map((root) => `{${root}}`).join(", ");
  const near = nearestOf(name);
  const hint = near === undefined ? "" : `, the nearest is {${near}}`;
  throw new TemplateError(`has the unknown placeholder {${shorten(name)}}${hint}, valid are ${valid}`, at);
}

/** Finds the nearest valid name. Keeps the rest of a path whose root is mistyped. */
function nearestOf(name: string): string | undefined {
  const [root = "", ...rest] = name.split(".");
  const near = nearestName(root, validNames);
  const whole = near === undefined ? undefined : [near, ...rest].join(".");
  return whole !== undefined && (validNames.includes(whole) || parseMessagePath(whole) !== undefined)
    ? whole
    : nearestName(name, validNames);
}

/** Returns the keys of a name such as `params.items.0.count`; undefined if it does not begin with a root. */
export function parseMessagePath(name: string): readonly string[] | undefined {
  const path = name.split(".");
  const [root] = path;
  const isKnown = messageRoots.some((known) => known === root);
  return isKnown && path.every((key) => key !== "") && !(root === "push_id" && path.length > 1)
    ? path
    : undefined;
}
