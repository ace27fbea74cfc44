/** A fault of a query that names its field, as the server or the reading of the JSON says it. */
export interface FieldFault {
  /** Such as `events[0].customEvent`. */
  readonly field: string;
  readonly description: string;
}

/** Returns the faults of a field itself and of what it contains, where no field of the form is for that. */
export function faultsOf(faults: readonly FieldFault[], field: string): readonly FieldFault[] {
  return faults.filter((fault) => fault.field === field || fault.field.startsWith(`${field} `));
}

/** Where a formula is at fault: from one character to the one before the other, in UTF-16. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const quoted = /^"(?:[^"\\]|\\.)*"/;

/**
 * Returns where a formula is at fault. The server says the character of what does not fit; of an operand it quotes
 * the text, and the end of the formula it calls so.
 */
export function placeInFormula(formula: string, description: string): Span | undefined {
  const [, number] = /\(character (\d+)\)$/.exec(description) ?? [];
  if (number !== undefined) {
    const start = [...formula].slice(0, Number(number) - 1).join("").length;
    return { start, end: Math.min(formula.length, start + lengthOfFirst(formula.slice(start))) };
  }
  if (description.endsWith("at its end")) {
    const end = formula.trimEnd().length;
    return { start: end, end: end + 1 };
  }
  const [text] = quoted.exec(description) ?? [];
  return text === undefined ? undefined : findOperand(formula, JSON.parse(text) as string);
}

function lengthOfFirst(text: string): number {
  return /^(?:[-+*/()]|[^-+*/()]+)/.exec(text)?.[0].trimEnd().length ?? 1;
}

/** Finds an operand, or a name within one. */
function findOperand(formula: string, text: string): Span | undefined {
  const operands = [...formula.matchAll(/[^-+*/()]+/g)].map((match) => {
    const lead = match[0].length - match[0].trimStart().length;
    return { start: match.index + lead, text: match[0].trim() };
  });
  const whole = operands.find((operand) => operand.text === text);
  if (whole !== undefined) return { start: whole.start, end: whole.start + text.length };
  const at = text === "" ? -1 : formula.indexOf(text);
  return at < 0 ? undefined : { start: at, end: at + text.length };
}
