export const masked = "***";

export type Mask = (text: string) => string;

/** Shorter secrets are not masked: they would match in any text. */
const shortestSecret = 6;

/**
 * Compiles the function that masks secrets in what a server sends back, which may repeat parts of the request.
 * @param secrets also whole values of headers, such as `Bearer x`, of which `x` is masked too
 */
export function compileMask(secrets: readonly string[]): Mask {
  // A value of more words is not a scheme with a secret.
  const parts = secrets.flatMap((secret) => [secret, /^\S+ (\S+)$/.exec(secret)?.[1] ?? ""]);
  const long = parts.filter(({ length }) => length >= shortestSecret);
  return compileFormsMask(longestFirst(long.flatMap(formsOfSecret)));
}

/** Compiles the function that masks these texts, of any length. @param forms the longest first */
export function compileFormsMask(forms: readonly string[]): Mask {
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, masked), text);
}

/** Returns a secret unencoded and as URLs, forms and JSON encode it, the longest first. */
export function formsOfSecret(secret: string): readonly string[] {
  // A lone surrogate cannot be encoded in a URL.
  const percent = encodeURIComponent(secret.toWellFormed());
  const form = new URLSearchParams({ t: secret }).toString().slice(2);
  const json = JSON.stringify(secret).slice(1, -1);
  const lower = [percent, form].map((text) => text.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()));
  return longestFirst([secret, percent, form, json, ...lower]);
}

/** Returns each text once. A shorter one that is replaced first could leave the rest of a longer one. */
function longestFirst(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort((a, b) => b.length - a.length);
}
