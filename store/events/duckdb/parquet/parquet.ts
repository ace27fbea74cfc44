import { DuckDBInstance } from "@duckdb/node-api";
import { textLiteral } from "../session.ts";

export interface ParquetRows {
  /** JSON objects of the file's columns; times as `yyyy-MM-dd HH:mm:ss`. */
  readonly lines: readonly string[];
  readonly rowsRead: number;
  readonly allRows: number;
}

export interface ParquetOptions {
  /** The number of rows to skip at the start. */
  readonly skip: number;
  /** Called before the first row is read; may throw. */
  readonly check: (columns: readonly string[], allRows: number) => void;
  readonly signal: AbortSignal;
}

const settings = { memory_limit: "512MB", threads: "2", autoinstall_known_extensions: "false" };

/** Reads the rows of a Parquet file in their order, in chunks, with an engine of its own in memory. */
export async function* readParquet(
  file: string,
  { skip, check, signal }: ParquetOptions,
): AsyncGenerator<ParquetRows, void> {
  const instance = await DuckDBInstance.create(":memory:", settings);
  try {
    const connection = await instance.connect();
    const source = textLiteral(file);
    const counted = await connection.runAndReadAll(
      `SELECT sum(num_rows) FROM parquet_file_metadata(${source})`,
    );
    const allRows = Number(counted.getRows()[0]?.[0] ?? 0);
    const none = await connection.runAndReadAll(`SELECT * FROM read_parquet(${source}) LIMIT 0`);
    check(none.columnNames(), allRows);
    const result = await connection.stream(
      `SELECT to_json(row)::VARCHAR FROM read_parquet(${source}) AS row OFFSET ${skip}`,
    );
    for (let rowsRead = skip; ; ) {
      signal.throwIfAborted();
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return;
      rowsRead += chunk.rowCount;
      yield { lines: chunk.getColumnValues(0) as string[], rowsRead, allRows };
    }
  } finally {
    instance.closeSync();
  }
}
