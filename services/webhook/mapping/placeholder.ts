import { nearestName } from "../../../base/text/nearest.ts";
import { shorten } from "../../../base/text/quote.ts";

/** Roots of what a placeholder can name in the message itself. */
export const messageRoots = ["push_id", "params", "custom_params", "#ops_receipt_properties"] as const;

/** What a placeholder can name around the message. */
const aroundNames = [
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

export type AroundName = (typeof aroundNames)[number];

/** What all messages of one request have in common. */
export const batchNames = [
  "@batch_id",
  "@channel",
  "@target",
  "@request_id",
  "@attempt",
  "@accepted_time",
  "@replay",
] as const satisfies readonly AroundName[];

/** All that a placeholder can begin with. */
export const validNames: readonly string[] = [...messageRoots, ...aroundNames];

/** What stands between the braces. */
export type Placeholder =
  | { readonly kind: "path"; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: "around"; readonly name: AroundName };

/** A piece of a text: fixed, or a placeholder. */
export type Piece = string | Placeholder;

/** A template that is wrong, and where in it: keys and indexes from its root on. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  readonly path: readonly (string | number)[];

  constructor(message: string, path: readonly (string | number)[]) {
    super(message);
    this.path = path;
  }
}

/**
 * Reads a text with placeholders such as `{params.title}`. `{{` and `}}` stand
 * for braces.
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
  const around = aroundNames.find((known) => known === name);
  if (around !== undefined) return { kind: "around", name: around };
  const path = parseMessagePath(name);
  if (path !== undefined) return { kind: "path", name, path };
  const valid = [...messageRoots, "params.<name>", ...aroundNames].map((root) => `{${root}}`).join(", ");
  const near = nearestOf(name);
  const hint = near === undefined ? "" : `; did you mean {${near}}?`;
  throw new TemplateError(`names {${shorten(name)}}, which no message has, valid are ${valid}${hint}`, at);
}

/** With a root that is mistyped, the rest of the path is kept. */
function nearestOf(name: string): string | undefined {
  const [root = "", ...rest] = name.split(".");
  const near = nearestName(root, validNames);
  const whole = near === undefined ? undefined : [near, ...rest].join(".");
  return whole !== undefined && (validNames.includes(whole) || parseMessagePath(whole) !== undefined)
    ? whole
    : nearestName(name, validNames);
}

/** The keys of a name such as `params.items.0.count`; undefined when it begins with no root. */
export function parseMessagePath(name: string): readonly string[] | undefined {
  const path = name.split(".");
  const [root] = path;
  const isKnown = messageRoots.some((known) => known === root);
  return isKnown && path.every((key) => key !== "") && !(root === "push_id" && path.length > 1)
    ? path
    : undefined;
}
