export const masked = "***";

/** Shorter secrets are not masked: they would match in any text. */
const shortestSecret = 6;

/** Compiles the function that masks secrets in a response, which may repeat parts of the request. */
export function compileMask(secrets: readonly string[]): (text: string) => string {
  const long = secrets
    .filter(({ length }) => length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length);
  return (text) => long.reduce((rest, secret) => rest.replaceAll(secret, masked), text);
}
