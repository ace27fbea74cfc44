import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../servers/ports.ts";

/** A page of Markdown whose examples can be run. */
export interface Page {
  /** The path, such as `docs/recipes/mail.md`. */
  readonly name: string;
  /** Servers of others that its examples need, from a comment such as `<!-- needs: postgresql -->`. */
  readonly needs: readonly string[];
  readonly steps: readonly Step[];
  /** The first words after the fences of all code blocks, such as `yaml engage.yaml`. */
  readonly blocks: readonly string[];
  /** The free ports that stand for the ports which the page names. */
  readonly ports: ReadonlyMap<string, number>;
}

/** A file that is written, or a command with the output that the page shows. */
export type Step = FileStep | CommandStep;

export interface FileStep {
  readonly title: string;
  readonly file: string;
  readonly content: string;
}

export interface CommandStep {
  readonly title: string;
  readonly command: string;
  /** The output; an ellipsis stands for what differs between runs. */
  readonly output: string;
  /** Whether it ends with ` &`: it goes on beside the commands after it. */
  readonly isBeside: boolean;
}

/** Returns the pages that are written for readers: those of `docs/` but for the generated ones and the decisions. */
export function listGuides(): readonly string[] {
  return ["docs", "docs/start", "docs/recipes"].flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith(".md"))
      .sort()
      .map((file) => join(folder, file)),
  );
}

/** Returns the servers of others that the examples of a page need. */
export function needsOf(name: string): readonly string[] {
  const [, words = ""] = /^<!-- needs: ([a-z, ]+) -->$/m.exec(readFileSync(name, "utf8")) ?? [];
  return words.split(/[, ]+/).filter((word) => word !== "");
}

/**
 * Reads a page. A block of code that is called `console` has commands after `$ ` and their output. A command goes on
 * in the next line after a backslash. A block with a file name after its language is written into that file, so that
 * the commands after it can read it. Each port of an address on the page is replaced by a free one.
 * @param given ports that are known already, such as those of servers of others
 */
export async function readPage(name: string, given: ReadonlyMap<string, number> = new Map()): Promise<Page> {
  const written = readFileSync(name, "utf8");
  const ports = new Map(given);
  for (const [, port = ""] of written.matchAll(/(?:127\.0\.0\.1|0\.0\.0\.0|localhost):(\d{4,5})\b/g)) {
    if (!ports.has(port)) ports.set(port, await freePort());
  }
  const text = withPorts(written, ports);
  const found = [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)];
  const steps = found.flatMap(([, info = "", content = ""]) => stepsOf(info, content));
  return { name, needs: needsOf(name), steps, blocks: found.map(([, info = ""]) => info), ports };
}

function withPorts(text: string, ports: ReadonlyMap<string, number>): string {
  return [...ports].reduce(
    (all, [from, to]) => all.replaceAll(new RegExp(`\\b${from}\\b`, "g"), `${to}`),
    text,
  );
}

function stepsOf(info: string, content: string): readonly Step[] {
  const [language, file] = info.split(" ");
  if (file !== undefined) return [{ title: file, file, content }];
  if (language !== "console") return [];
  return content
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [, command = "", output = ""] = /^((?:.*\\\n)*.*)\n?([\s\S]*)$/.exec(part) ?? [];
      return { title: command, command, output: output.trim(), isBeside: command.endsWith(" &") };
    });
}
