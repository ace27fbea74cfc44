import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../../base/package/root.ts";
import { listDocuments } from "../serve/docs/site.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { type Output, writeForeign } from "../terminal/terminal.ts";
import { unknownName } from "../terminal/unknown-name.ts";
import { UsageError, UserError } from "../terminal/user-error.ts";

export interface DocsOptions {
  readonly search?: string;
  readonly json?: true;
}

interface Part {
  readonly page: string;
  readonly title: string;
  readonly heading: string;
}

const columns: readonly Column<Part>[] = [
  { head: "PAGE", of: ({ page }) => page },
  { head: "TITLE", of: ({ title }) => title },
];
const foundColumns: readonly Column<Part>[] = [...columns, { head: "PART", of: ({ heading }) => heading }];

/** Lists the pages of the documentation, prints one, or lists the parts that contain a text. @throws UserError */
export async function printDocs(
  page: string | undefined,
  { search, json }: DocsOptions,
  stdout: Output,
  folder = join(packageRoot, "docs"),
): Promise<void> {
  if (page !== undefined && search !== undefined) throw new UsageError("give a page or --search");
  const documents = await listDocuments(folder);
  if (page !== undefined) {
    const name = page.replace(/^\/?docs\/|\.md$/g, "");
    const found = documents.find((one) => one.name === name);
    if (found === undefined) {
      const names = documents.map((one) => one.name);
      throw new UserError(`${unknownName("page", page, names).message}; --search finds pages with a text`);
    }
    const text = await readFile(join(folder, `${name}.md`), "utf8");
    writeForeign(stdout, json ? `${JSON.stringify({ page: name, title: found.title, text })}\n` : text);
    return;
  }
  const wanted = search?.toLowerCase();
  const parts = documents.flatMap(({ name, title, sections }): Part[] =>
    wanted === undefined
      ? [{ page: name, title, heading: "" }]
      : sections
          .filter(({ heading, text }) => `${heading}\n${text}`.toLowerCase().includes(wanted))
          .map(({ heading }) => ({ page: name, title, heading })),
  );
  if (json) for (const part of parts) writeForeign(stdout, `${JSON.stringify(part)}\n`);
  else if (parts.length === 0) writeForeign(stdout, `no page contains ${JSON.stringify(search)}\n`);
  else stdout.write(formatTable(wanted === undefined ? columns : foundColumns, parts));
}
