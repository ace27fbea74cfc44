import { all, type Operation, type Session } from "../../sql/query.ts";
import type { BatchRecord, FailedItem } from "../batches.ts";
import type { Page, PageRequest } from "../records.ts";
import { type BatchRow, batchColumns } from "./batch-rows.ts";
import { firstOf, numberOfCursor, rowOf } from "./ids.ts";
import { decodeParts, indexesOf, maxPageBatches, type PageRow, usualPageBatches } from "./pages.ts";

export function* listBatches(
  _session: Session,
  runId: string,
  { onlyFailed = false }: { readonly onlyFailed?: boolean },
  { limit, after }: PageRequest,
): Operation<Page<BatchRecord>> {
  const from = numberOfCursor(after, -1) + 1;
  const failed = onlyFailed ? "AND (b.state = 'failed' OR b.failed_items IS NOT NULL)" : "";
  // A batch that is taken out of its page between the queries is found by both. Its row counts.
  const paged = onlyFailed ? [] : yield* listPaged(runId, from, limit + 1);
  const rows = yield* all<BatchRow>(
    `SELECT ${batchColumns} FROM {batches} b JOIN {runs} r ON r.seq = b.run_seq
     WHERE r.run_id = $1 AND b.number >= $2 ${failed} ORDER BY b.number LIMIT $3`,
    runId,
    from,
    limit + 1,
  );
  const byNumber = new Map([...paged, ...rows.map(toRecord)].map((one) => [one.number, one]));
  const found = [...byNumber.values()].sort((a, b) => a.number - b.number);
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? String(items.at(-1)!.number) : null };
}

function toRecord(row: BatchRow): BatchRecord {
  return {
    number: row.number,
    requestId: row.request_id,
    size: row.size,
    state: row.state,
    attempts: row.attempts - row.is_begun,
    failedItems: row.failed_items === null ? [] : (JSON.parse(row.failed_items) as FailedItem[]),
    lastFailure: row.last_failure,
  };
}

/** Lists at least this many batches that have no row of their own, or all. */
function* listPaged(runId: string, from: number, limit: number): Operation<readonly BatchRecord[]> {
  const found: BatchRecord[] = [];
  const count = Math.ceil(limit / usualPageBatches) + 1;
  for (let after = rowOf(from - maxPageBatches); found.length < limit; ) {
    const pages = yield* all<PageRow & { readonly parts: string }>(
      `SELECT ${batchColumns}, p.parts FROM {batches} b JOIN {runs} r ON r.seq = b.run_seq
       JOIN {pages} p ON p.run_seq = b.run_seq AND p.number = b.number
       WHERE r.run_id = $1 AND b.number > $2 AND b.number < 0 AND b.number + b.batch_count > $3
       ORDER BY b.number LIMIT $4`,
      runId,
      after,
      rowOf(from),
      count,
    );
    found.push(...pages.flatMap(toRecords).filter(({ number }) => number >= from));
    if (pages.length < count) break;
    after = pages.at(-1)!.number;
  }
  return found;
}

function toRecords(page: PageRow & { readonly parts: string }): readonly BatchRecord[] {
  const parts = decodeParts(page.parts);
  const isLeased = page.state === "in_flight";
  return indexesOf(page, ".", "b", "s").map((index): BatchRecord => {
    const letter = page.progress[index];
    // The attempt of a process that died counts as soon as its lease is over.
    const hasAttempt = letter === "s" || (letter === "b" && !isLeased);
    return {
      number: firstOf(page.number) + index,
      requestId: parts[index]!.requestId,
      size: page.size,
      state: letter === "s" ? "succeeded" : page.state,
      attempts: hasAttempt ? 1 : 0,
      failedItems: [],
      lastFailure: "",
    };
  });
}
