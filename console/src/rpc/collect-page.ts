import type { KeysetPage } from "./pages.ts";

/** Reads of one page. Each of them reads a bounded part of the store, which may hold nothing that matches. */
const maxReads = 10;

/** Fills a page from those of the server, which may hold fewer rows than requested, or none. */
export async function collectPage<Row>(
  size: number,
  token: string,
  read: (pageSize: number, pageToken: string) => Promise<KeysetPage<Row>>,
): Promise<KeysetPage<Row>> {
  const rows: Row[] = [];
  let nextToken = token;
  for (let reads = 0; reads < maxReads; reads++) {
    const page = await read(size - rows.length, nextToken);
    rows.push(...page.rows);
    nextToken = page.nextToken;
    if (nextToken === "" || rows.length >= size) break;
  }
  return { rows, nextToken };
}
