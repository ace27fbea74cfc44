/** Names of properties that may hold a credential, in any case. */
const sensitiveName =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-api-key|api_?key|private_?key|(?:[\w-]*[_-])?(?:token|secret|password|passphrase|signature)s?)$/i;

const masked = "[masked]";
/** Deeper values are not written. */
const maxDepth = 8;

/**
 * Replaces the values of sensitive properties at any depth. Returns the value
 * itself when it has none, and a copy of what had to be changed otherwise.
 */
export function maskSensitive(value: Record<string, unknown>): Record<string, unknown> {
  return mask(value, 0) as Record<string, unknown>;
}

function mask(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error || value instanceof Date || ArrayBuffer.isView(value)) return value;
  if (depth === maxDepth) return "[too deep]";
  let copy: Record<string, unknown> | undefined;
  for (const name in value) {
    const before = (value as Record<string, unknown>)[name];
    const after = before !== undefined && isSensitive(name) ? masked : mask(before, depth + 1);
    if (after === before) continue;
    copy ??= copyOf(value);
    copy[name] = after;
  }
  return copy ?? value;
}

function copyOf(value: object): Record<string, unknown> {
  return (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
}

// The same names occur in every line, and a look-up is cheaper than the expression.
const verdicts = new Map<string, boolean>();
const maxVerdicts = 1_000;

function isSensitive(name: string): boolean {
  const known = verdicts.get(name);
  if (known !== undefined) return known;
  const verdict = sensitiveName.test(name);
  if (verdicts.size < maxVerdicts) verdicts.set(name, verdict);
  return verdict;
}
