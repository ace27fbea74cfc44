/**
 * A number and what is counted, such as "1 batch", "2 batches" and "1,000 queries".
 * @param noun in the singular
 */
export function countOf(number: number | bigint, noun: string, plural = pluralOf(noun)): string {
  return `${number.toLocaleString("en")} ${Number(number) === 1 ? noun : plural}`;
}

/** The same number without a comma in it, for messages that give exact values. */
export function plainCountOf(number: number | bigint, noun: string, plural = pluralOf(noun)): string {
  return `${number} ${Number(number) === 1 ? noun : plural}`;
}

function pluralOf(noun: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
