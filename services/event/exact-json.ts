/** The library of types does not know this yet: https://tc39.es/proposal-json-parse-with-source/ */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** As `JSON.stringify`, and bigints as the numbers that they are. */
export function stringifyExactJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // It does so for bigints only: what was parsed holds no circles.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, one: unknown) =>
      typeof one === "bigint" ? rawJSON(String(one)) : one,
    );
  }
}
