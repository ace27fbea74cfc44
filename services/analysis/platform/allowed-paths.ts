const segment = /^[A-Za-z0-9._~-]+$/;

/** Tells whether a path below `/open/` is one of those in the configuration. */
export function compileAllowedPaths(allowed: readonly string[]): (path: string) => boolean {
  const exact = new Set(allowed.filter((path) => !path.endsWith("*")));
  const prefixes = allowed.filter((path) => path.endsWith("*")).map((path) => path.slice(0, -1));
  return (path) => isPlain(path) && (exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix)));
}

/** Without anything that could lead elsewhere: dots alone, escapes, a query. */
function isPlain(path: string): boolean {
  return path.split("/").every((part) => segment.test(part) && part !== "." && part !== "..");
}
