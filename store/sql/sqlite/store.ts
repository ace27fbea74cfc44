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
  /**
   * What a loss is told in: things that are numbered, by the name of their table, which is AUTOINCREMENT;
   * the last of them that was acknowledged is known.
   */
  readonly numbered: readonly string[];
  /** Operations that a power cut may undo, but not the end of the process: not worth a sync of their own. */
  readonly lazy?: ReadonlySet<string>;
}
