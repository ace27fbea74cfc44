/** What a request for one page of a list contains. */
export interface PageFields {
  readonly pageSize: number;
  readonly pageToken: string;
}

/** The first rows of a list. */
export interface Rows<T> {
  readonly rows: readonly T[];
  /** Whether the list may have more rows. */
  readonly hasMore: boolean;
}

/** Reads pages until there are `limit` rows. A page before the last one may be empty. */
export async function collectRows<T>(
  limit: number,
  maxPageSize: number,
  read: (page: PageFields) => Promise<{ readonly rows: readonly T[]; readonly nextPageToken: string }>,
): Promise<Rows<T>> {
  const rows: T[] = [];
  let pageToken = "";
  do {
    const page = await read({ pageSize: Math.min(limit - rows.length, maxPageSize), pageToken });
    for (const row of page.rows) rows.push(row);
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && rows.length < limit);
  return { rows, hasMore: pageToken !== "" };
}
