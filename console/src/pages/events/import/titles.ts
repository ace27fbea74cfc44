import type { Mapping, Sample } from "./mapping.ts";

/** Returns the titles of columns by the names of their properties, where a name does not say the same. */
export function lostTitles(
  { header }: Sample,
  { properties }: Mapping,
): readonly (readonly [name: string, title: string])[] {
  return properties.flatMap(({ name, index }) => {
    const title = header[index] ?? "";
    return name === "" || title === "" || plain(title) === plain(name) ? [] : [[name, title] as const];
  });
}

/** Names and titles that differ in case, spaces and punctuation read alike. */
function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Returns the lines of a configuration that make the titles display names of their properties. */
export function displayNamesOf(sample: Sample, mapping: Mapping, projectId: bigint): string {
  const lines = lostTitles(sample, mapping).map(([name, title]) => `      ${name}: ${JSON.stringify(title)}`);
  return ["projects:", `  - id: ${projectId}`, "    displayNames:", ...lines].join("\n");
}
