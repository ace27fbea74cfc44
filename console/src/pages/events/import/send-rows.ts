import type { RecordResult } from "../../../../../gen/engage/event/v1/record_pb.ts";
import type { Mapping } from "./mapping.ts";
import { type RowFault, recordOf } from "./record.ts";

export interface ImportedRow {
  /** The number of the row, from 1 for the first after the header. */
  readonly number: number;
  readonly cells: readonly string[];
}

/** Why rows were refused, or properties dropped, with the first row of which this is true. */
export interface RowFinding {
  readonly kind: "refused" | "dropped";
  readonly message: string;
  readonly firstRow: number;
  readonly count: number;
}

export interface Progress {
  /** Rows that were sent or refused. */
  readonly rows: number;
  readonly accepted: number;
  readonly refused: number;
  /** By number of rows, the most frequent first. */
  readonly findings: readonly RowFinding[];
  /** The refused rows as they were, at most `maxKept`. */
  readonly refusedRows: readonly ImportedRow[];
}

export const nothingYet: Progress = { rows: 0, accepted: 0, refused: 0, findings: [], refusedRows: [] };

const maxKept = 10_000;
const maxFindings = 100;

/** Sends records and returns their results in the same order. */
export type SendLines = (lines: readonly string[]) => Promise<readonly RecordResult[]>;

export interface RowsToSend {
  readonly mapping: Mapping;
  /** The text of a fault of a row that makes no record. */
  readonly faultText: (fault: RowFault, value: string) => string;
  /** Identifies the file, so that rows which are sent again are counted once. */
  readonly identity: string;
  readonly send: SendLines;
}

/** Sends one batch of rows, and returns the progress with it. */
export async function sendRows(
  before: Progress,
  rows: readonly ImportedRow[],
  { mapping, faultText, identity, send }: RowsToSend,
): Promise<Progress> {
  const tally = createTally(before);
  const made = rows.map((row) => ({
    row,
    record: recordOf(row.cells, mapping, `${identity}-${row.number}`),
  }));
  const sent = made.flatMap(({ row, record }) =>
    record.line === undefined ? [] : [{ row, line: record.line }],
  );
  const results = sent.length === 0 ? [] : await send(sent.map(({ line }) => line));
  for (const { row, record } of made) {
    if (record.fault !== undefined) tally.refuse(row, faultText(record.fault, record.value));
  }
  for (const [at, { row }] of sent.entries()) {
    const { outcome } = results[at]!;
    if (outcome.case === "refused") tally.refuse(row, outcome.value.message);
    else for (const { message } of outcome.value?.dropped ?? []) tally.drop(row, message);
  }
  return tally.progress(rows.length);
}

function createTally(before: Progress) {
  const findings = new Map(before.findings.map((one) => [`${one.kind} ${one.message}`, one]));
  const refused: ImportedRow[] = [];
  const find = (kind: RowFinding["kind"], { number }: ImportedRow, message: string): void => {
    const key = `${kind} ${message}`;
    const known = findings.get(key);
    if (known !== undefined) findings.set(key, { ...known, count: known.count + 1 });
    else if (findings.size < maxFindings) findings.set(key, { kind, message, firstRow: number, count: 1 });
  };
  return {
    refuse(row: ImportedRow, message: string) {
      refused.push(row);
      find("refused", row, message);
    },
    drop: (row: ImportedRow, message: string) => find("dropped", row, message),
    progress: (rows: number): Progress => ({
      rows: before.rows + rows,
      accepted: before.accepted + rows - refused.length,
      refused: before.refused + refused.length,
      findings: [...findings.values()].sort((one, other) => other.count - one.count),
      refusedRows: [...before.refusedRows, ...refused].slice(0, maxKept),
    }),
  };
}
