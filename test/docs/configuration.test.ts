import { describe, expect, it } from "vitest";
import { configSchema } from "../../cmd/config/schema/schema.ts";
import { schemasAt } from "../../cmd/config/schema/walk.ts";
import {
  exampleOf,
  formatSettingPath,
  isSection,
  listSections,
  type Setting,
} from "../../docs/generate/configuration/settings.ts";

const settings = listSections().flatMap((section) => section.settings);
const nameOf = ({ path, kinds }: Setting) => `${formatSettingPath(path)} ${kinds.join()}`;

describe("the settings", () => {
  it("are those of the JSON Schema", () => {
    const known = settings.map(({ path }) => formatSettingPath(path));
    expect(known).toEqual(
      expect.arrayContaining([
        "listen",
        "auth.keys[].sha256",
        "webhook.targets.NAME.tls.ca",
        "projects[].tags.NAME[].filts",
        "parser.formats[].mapping.NAME.parts[].separator",
      ]),
    );
    expect(known.length).toBeGreaterThan(250);
  });

  it("have texts of whole sentences", () => {
    const wrong = settings.filter(({ node: { description = "" } }) => !/^\S.*\.$/.test(description));
    expect(wrong.map(nameOf)).toEqual([]);
  });

  it("have examples that are valid", () => {
    const wrong = settings
      .filter(({ node }) => !isSection(node))
      .filter(({ path, node }) => exampleOf(node) === undefined || !isValid(path, asRead(exampleOf(node))));
    expect(wrong.map(nameOf)).toEqual([]);
    expect(isValid(["listen"], "no port")).toBe(false);
    expect(exampleOf({ type: "string" })).toBe(undefined);
  });
});

/** Whether one of the schemas of a setting accepts the value. */
function isValid(path: readonly string[], value: unknown): boolean {
  const keys = path.map((key) => (key === "[]" ? 0 : key));
  return schemasAt(configSchema, keys).some((schema) => "_zod" in schema && accepts(schema, value));
}

function accepts(schema: ReturnType<typeof schemasAt>[number], value: unknown): boolean {
  const result = schema._zod.run({ value, issues: [] }, { async: false });
  return !(result instanceof Promise) && result.issues.length === 0;
}

/** Replaces the files of secrets by what they may contain. */
function asRead(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(asRead);
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0] === "file") return "a-long-secret";
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asRead(member)]));
}
