import { hintNearest } from "../../../base/text/known-names.ts";
import { type Piece, parseText, TemplateError, validNames } from "./placeholder.ts";
import { compileJoin, type TemplateInput, UnsendableError } from "./template.ts";
import { checkBatch, type HttpTemplateRules } from "./url-template.ts";

const maxHeaderBytes = 8_192;
/** Control characters except the tab, which are not valid in a header. */
const control = /[^\t\P{Cc}]/u;

/**
 * Compiles the value of a header with placeholders. Non-ASCII characters are sent as UTF-8.
 * @returns the value if it has no placeholders; otherwise a function that writes it, which throws MissingValueError and
 *   UnsendableError
 * @throws TemplateError, which does not quote the value, since it may be a secret
 */
export function compileHeader(
  name: string,
  value: string,
  rules: HttpTemplateRules,
): string | ((input: TemplateInput) => string) {
  const pieces = parseQuietly(value);
  checkBatch(pieces, rules);
  const [only = ""] = pieces;
  if (pieces.length === 1 && typeof only === "string") return only;
  const read = compileJoin(pieces, rules.missing, (text) => text);
  return (input) => toHeader(name, read(input));
}

function toHeader(name: string, text: string): string {
  if (control.test(text)) throw new UnsendableError(`message has a control character for header ${name}`);
  // Node expects header values as Latin-1 characters, one for each byte.
  const bytes = Buffer.from(text.toWellFormed(), "utf8");
  if (bytes.length > maxHeaderBytes) {
    const limit = `at most ${maxHeaderBytes} are valid`;
    throw new UnsendableError(`message has ${bytes.length} bytes for header ${name}, ${limit}`);
  }
  return bytes.toString("latin1");
}

function parseQuietly(value: string): readonly Piece[] {
  try {
    return parseText(value, []);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const names = [...value.matchAll(/\{([^{}]*)\}/g)].map(([, inner = ""]) => inner);
    const hint = names
      .filter((inner) => !validNames.includes(inner))
      .map((inner) => hintNearest(inner, validNames, (name) => `{${name}}`))
      .find((nearest) => nearest !== "");
    throw new TemplateError(
      `has a brace that does not begin a placeholder${hint ?? ', write "{{" or "}}" for the character itself'}`,
      [],
    );
  }
}
