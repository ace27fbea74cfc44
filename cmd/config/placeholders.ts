import { listNames } from "../../base/text/nearest.ts";
import { shorten } from "../../base/text/quote.ts";
import { environmentNameOf } from "./environment/environment.ts";
import type { ConfigPath } from "./problem.ts";
import { configSchema } from "./schema/schema.ts";
import { hasMeta, visit } from "./schema/walk.ts";
import type { Finding } from "./tls-files.ts";
import { valueAt } from "./tree.ts";

/** The settings of targets in which placeholders are replaced. */
const templates = ["body", "url", "headers", "to", "subject", "text", "html"] as const;

const variable = /\$\{\w+\}/;
const plainVariable = /^\$\w+|\/\$[A-Z_]\w*/;
const doubled = /\{\{\s*[@#]?[A-Za-z_][\w.@#]*\s*\}\}/;
const single = /\{\s*[@#]?[A-Za-z_][\w.@#]*\s*\}/;

/** Finds placeholders and variables that a user may expect to be replaced in settings where they are not. */
export function findPlaceholders(settings: unknown): readonly Finding[] {
  const found: Finding[] = [];
  visit(configSchema, settings, (value, schemas, path) => {
    if (typeof value !== "string") return;
    const isPath = schemas.some((one) => hasMeta(one, "path"));
    const isSecret = schemas.some((one) => hasMeta(one, "secret"));
    const message = isTemplate(settings, path)
      ? faultOfTemplate(value)
      : isPattern(path, isPath)
        ? undefined
        : faultOfText(value, { path, isPath, isSecret });
    if (message !== undefined) found.push({ path, message });
  });
  return found;
}

function isTemplate(settings: unknown, path: ConfigPath): boolean {
  const [section, group, , setting] = path;
  if (section !== "webhook" || group !== "targets") return false;
  const kind = valueAt(settings, [...path.slice(0, 3), "kind"]);
  // The subject of NATS is fixed, that of an email is not.
  return templates.some((name) => name === setting) && !(kind === "nats" && setting === "subject");
}

/** Whether braces are part of a regular expression or of a pattern of times or file names. */
function isPattern(path: ConfigPath, isPath: boolean): boolean {
  const last = path.at(-1);
  return last === "pattern" || (path[0] === "parser" && !isPath && last !== "value");
}

function faultOfTemplate(text: string): string | undefined {
  const [twice] = doubled.exec(text) ?? [];
  if (twice === undefined) return undefined;
  const once = `{${twice.replace(/[{}\s]/g, "")}}`;
  return `holds "${shorten(twice)}", which is sent as the text "${shorten(once)}": write ${shorten(once)} for the value`;
}

interface Kind {
  readonly path: ConfigPath;
  readonly isPath: boolean;
  readonly isSecret: boolean;
}

function faultOfText(text: string, { path, isPath, isSecret }: Kind): string | undefined {
  if (isPath && /^~(\/|$)/.test(text))
    return 'begins with "~", which is not replaced by the home folder: write the whole path';
  const [name] = variable.exec(text) ?? (isPath ? plainVariable.exec(text) : null) ?? [];
  // A secret may contain any characters, so it is reported only if it consists of a variable or placeholder alone.
  if (name !== undefined && (!isSecret || name === text)) {
    const other = isSecret ? ", or give { file: PATH }" : "";
    return `holds "${shorten(name.replace(/^\//, ""))}", which is not replaced: set ${environmentNameOf(path)} in the environment instead${other}`;
  }
  const [placeholder] = doubled.exec(text) ?? single.exec(text) ?? [];
  if (placeholder === undefined || (isSecret && placeholder !== text)) return undefined;
  return `holds "${shorten(placeholder)}", which is not replaced: placeholders are replaced only in ${listNames(templates)} of targets`;
}
