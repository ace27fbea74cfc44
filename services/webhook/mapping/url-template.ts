import { listNames } from "../../../base/text/nearest.ts";
import { batchNames, type Piece, parseText, TemplateError } from "./placeholder.ts";
import { compileJoin, type Missing, type TemplateInput, UnsendableError } from "./template.ts";

export interface HttpTemplateRules {
  readonly missing: Missing;
  /** One request is for many messages, so that only what they have in common can stand in it. */
  readonly isForBatch: boolean;
}

const maxPathCharacters = 16_384;

/**
 * Compiles a URL with placeholders in its path and query. What they stand for is
 * encoded, so that it can't end a segment or a parameter. The host is fixed: it
 * decides where a message goes, and is checked when the configuration is read.
 * @returns undefined for a URL without placeholders; else a function that writes path
 * and query, which throws MissingValueError and UnsendableError
 * @throws TemplateError
 */
export function compileUrl(
  url: string,
  rules: HttpTemplateRules,
): ((input: TemplateInput) => string) | undefined {
  if (hasPlaceholderBeforePath(url)) throw new TemplateError(beforePath, []);
  const { origin, rest } = splitUrl(url);
  if (!/[{}]/.test(rest)) return undefined;
  const pieces = normalise(origin, cutFragment(parseText(rest, [])));
  checkBatch(pieces, rules);
  const read = compileJoin(pieces, rules.missing, encode);
  return (input) => checkPath(read(input));
}

/** The reason for refusing a URL in which a message would decide which server is called. */
export const beforePath = "has a placeholder in its scheme, host or port, valid are its path and query";

export function hasPlaceholderBeforePath(url: string): boolean {
  return /[{}]/.test(splitUrl(url).origin);
}

function splitUrl(url: string): { readonly origin: string; readonly rest: string } {
  const [origin = url] = /^[^/?#]*\/\/[^/?#]*/.exec(url) ?? [];
  return { origin, rest: url.slice(origin.length) };
}

/** Removes the fragment, which is never sent. */
function cutFragment(pieces: readonly Piece[]): readonly Piece[] {
  const at = pieces.findIndex((piece) => typeof piece === "string" && piece.includes("#"));
  if (at === -1) return pieces;
  if (pieces.length > at + 1) throw new TemplateError("has a placeholder after #, which is never sent", []);
  return [...pieces.slice(0, at), String(pieces[at]).replace(/#.*$/s, "")];
}

/** The fixed pieces as a URL writes them; what placeholders stand for never is a piece of its syntax. */
function normalise(origin: string, pieces: readonly Piece[]): readonly Piece[] {
  let mark = "placeholder";
  while (pieces.some((piece) => typeof piece === "string" && piece.toLowerCase().includes(mark))) mark += "x";
  const text = pieces.map((piece, at) => (typeof piece === "string" ? piece : `${mark}-${at}-`)).join("");
  const { pathname, search } = new URL(`${origin}${text}`);
  const parts = `${pathname}${search}`.split(new RegExp(`${mark}-(\\d+)-`));
  const found = parts.map((part, at): Piece => (at % 2 === 0 ? part : pieces[Number(part)]!));
  const count = (list: readonly Piece[]): number => list.filter((piece) => typeof piece !== "string").length;
  if (count(found) < count(pieces)) {
    throw new TemplateError('goes back over a placeholder by ".."', []);
  }
  return found.filter((piece) => piece !== "");
}

export function checkBatch(pieces: readonly Piece[], { isForBatch }: HttpTemplateRules): void {
  if (!isForBatch) return;
  const own = pieces.find(
    (piece) => typeof piece !== "string" && !batchNames.some((name) => name === piece.name),
  );
  if (own === undefined || typeof own === "string") return;
  const valid = listNames(batchNames.map((name) => `{${name}}`));
  throw new TemplateError(
    `names {${own.name}}, but with per: batch one request is for many messages: valid are ${valid}`,
    [],
  );
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A segment of dots would change the path at the server, encoded or not. */
function checkPath(path: string): string {
  const [segments = ""] = path.split("?", 1);
  if (segments.split("/").some((segment) => segment === "." || segment === "..")) {
    throw new UnsendableError('message makes a path segment "." or ".." of url');
  }
  if (path.length > maxPathCharacters) {
    throw new UnsendableError(
      `message makes url ${path.length} characters long, at most ${maxPathCharacters} are sent`,
    );
  }
  return path;
}
