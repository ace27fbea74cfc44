import type { StoreFaults } from "../faults.ts";
import type { Operations } from "../operations.ts";
import type { FileForm } from "./file.ts";

/** What tells one store in SQLite from another. */
export interface SqliteStore extends FileForm {
  readonly faults: StoreFaults;
  readonly operations: Operations;
  /**
   * Operations that bring something to keep, and their bytes. Where room is
   * short they are refused, while those that free room or need little go on.
   */
  readonly bringing: ReadonlySet<string>;
}
