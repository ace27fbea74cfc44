/** One page of a list by keyset. */
export interface KeysetPage<Row> {
  readonly rows: readonly Row[];
  /** The token of the next page; empty on the last one. */
  readonly nextToken: string;
}

/** Reads of one page. Each of them reads a bounded part of the store, which may hold nothing that matches. */
const maxReads = 10;
/** No further read begins after this time: the user sees what was found and goes on from there. */
const maxMs = 400;

/** Fills a page from those of the server, which may hold fewer rows than requested, or none. */
export async function collectPage<Row>(
  size: number,
  token: string,
  read: (pageSize: number, pageToken: string) => Promise<KeysetPage<Row>>,
  now: () => number = () => performance.now(),
): Promise<KeysetPage<Row>> {
  const rows: Row[] = [];
  let nextToken = token;
  const startMs = now();
  for (let reads = 0; reads < maxReads; reads++) {
    const page = await read(size - rows.length, nextToken);
    rows.push(...page.rows);
    nextToken = page.nextToken;
    if (nextToken === "" || rows.length >= size || now() - startMs > maxMs) break;
  }
  return { rows, nextToken };
}
