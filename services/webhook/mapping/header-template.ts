import { nearestName } from "../../../base/text/nearest.ts";
import { type Piece, parseText, TemplateError, validNames } from "./placeholder.ts";
import { compileJoin, type TemplateInput, UnsendableError } from "./template.ts";
import { checkBatch, type HttpTemplateRules } from "./url-template.ts";

const maxHeaderBytes = 8_192;
/** What would end a header, or is no text: control characters but the tab. */
const control = /[^\t\P{Cc}]/u;

/**
 * Compiles the value of a header with placeholders. Other characters than ASCII are
 * sent as UTF-8.
 * @returns the value when it has no placeholders; else a function that writes it,
 * which throws MissingValueError and UnsendableError
 * @throws TemplateError, which quotes nothing of the value, since that may be a secret
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
  if (control.test(text)) throw new UnsendableError(`message puts a control character into header ${name}`);
  // Node takes header values as bytes that are written as characters.
  const bytes = Buffer.from(text.toWellFormed(), "utf8");
  if (bytes.length > maxHeaderBytes) {
    const limit = `at most ${maxHeaderBytes} are sent`;
    throw new UnsendableError(`message makes header ${name} ${bytes.length} bytes long, ${limit}`);
  }
  return bytes.toString("latin1");
}

function parseQuietly(value: string): readonly Piece[] {
  try {
    return parseText(value, []);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const names = [...value.matchAll(/\{([^{}]*)\}/g)].map(([, inner = ""]) => inner);
    const near = names
      .filter((inner) => !validNames.includes(inner))
      .flatMap((inner) => nearestName(inner, validNames) ?? [])[0];
    const hint = near === undefined ? "" : `, did you mean {${near}}?`;
    throw new TemplateError(
      `has a brace that begins no placeholder${hint || ', write "{{" or "}}" for the character itself'}`,
      [],
    );
  }
}
