/**
 * Returns a number with its noun, such as "1 batch", "2 batches" and "1,000 queries".
 * @param noun the singular
 */
export function countOf(number: number | bigint, noun: string, plural: string = pluralOf(noun)): string {
  return `${number.toLocaleString("en")} ${nounFor(number, noun, plural)}`;
}

/** Returns the same without separators in the number, for limits and sizes that are compared with settings. */
export function exactCountOf(number: number | bigint, noun: string, plural: string = pluralOf(noun)): string {
  return `${number} ${nounFor(number, noun, plural)}`;
}

/** Returns the noun in the form that fits the number. */
export function nounFor(number: number | bigint, noun: string, plural: string = pluralOf(noun)): string {
  return Number(number) === 1 ? noun : plural;
}

function pluralOf(noun: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
