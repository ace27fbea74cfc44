const isThorough = process.env["TEST_THOROUGH"] === "1";

/**
 * Returns how many cases a random search tries: all of them if TEST_THOROUGH is 1, as in `.ci/run`
 * and `test/servers/run`, and a fifth otherwise, as in `npm test`.
 */
export function casesOf(all: number): number {
  return isThorough ? all : Math.ceil(all / 5);
}
