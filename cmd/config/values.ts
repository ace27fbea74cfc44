import type { z } from "zod";
import { type ConfigPath, formatPath, isWithin } from "./problem.ts";
import { hasMeta, visit } from "./schema/walk.ts";

/** Where a value came from. */
export type ValueSource =
  | { readonly kind: "default" }
  | { readonly kind: "file"; readonly file: string; readonly line: number }
  | { readonly kind: "environment"; readonly variable: string };

/** A value of the configuration, without secrets. */
export interface SettingValue {
  /** In the form of `formatPath`. */
  readonly path: string;
  /** Undefined if it is hidden. */
  readonly value: unknown;
  /** Whether it is or may contain a secret. */
  readonly isHidden: boolean;
  /** Whether it is a URL without what may be a secret. */
  readonly isShortened: boolean;
  readonly source: ValueSource;
  /** The file that contains the secret. */
  readonly secretFile: string | undefined;
}

/** Formats a source as `file:line`, `environment NAME` or `default`. */
export function formatSource(source: ValueSource): string {
  if (source.kind === "environment") return `environment ${source.variable}`;
  return source.kind === "file" ? `${source.file}:${source.line}` : "default";
}

/**
 * Lists the values of the settings for callers that may not see secrets. Besides what the schema marks as a secret, it
 * hides hashes of keys and the texts in templates of bodies, and shortens URLs.
 */
export function listValues(
  schema: z.core.$ZodType,
  settings: unknown,
  originOf: (path: ConfigPath) => { readonly source: ValueSource; readonly secretFile: string | undefined },
): readonly SettingValue[] {
  const values: SettingValue[] = [];
  const secrets: ConfigPath[] = [];
  visit(schema, settings, (value, schemas, path) => {
    if (value === undefined) return;
    if (schemas.some((one) => hasMeta(one, "secret"))) secrets.push(path);
    else if (!isLeaf(value) || secrets.some((one) => isWithin(path, one))) return;
    const isHidden = secrets.at(-1) === path || mayBeSecret(value, path);
    const shown = isHidden ? undefined : withoutUrlSecrets(value, path);
    values.push({
      path: formatPath(path),
      value: shown,
      isHidden,
      isShortened: !isHidden && shown !== value,
      ...originOf(path),
    });
  });
  return values;
}

/** Empty sections and lists are values too. */
function isLeaf(value: unknown): boolean {
  return value === null || typeof value !== "object" || Object.keys(value).length === 0;
}

function mayBeSecret(value: unknown, path: ConfigPath): boolean {
  if (path.at(-1) === "sha256") return true;
  const [section, group, , setting] = path;
  return typeof value === "string" && section === "webhook" && group === "targets" && setting === "body";
}

/** Sections whose texts are patterns, names and formulas. */
const sectionsWithoutUrls: ReadonlySet<unknown> = new Set(["parser", "projects"]);

/** Shortens a URL to its scheme and host: user, path and query may contain credentials. */
function withoutUrlSecrets(value: unknown, [section]: ConfigPath): unknown {
  if (typeof value !== "string" || !value.includes("://") || sectionsWithoutUrls.has(section)) return value;
  const url = URL.parse(value);
  if (url === null) return "…";
  const origin = `${url.protocol}//${url.host}`;
  return value === origin || value === `${origin}/` ? value : `${origin}/…`;
}
