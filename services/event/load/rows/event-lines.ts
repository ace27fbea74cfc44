import type { CheckedEvent } from "../../record/record.ts";
import type { ProjectState } from "../project-state.ts";
import type { EventFile } from "./event-file.ts";
import { NumberSet } from "./number-set.ts";
import { RowFile } from "./row-file.ts";
import { writeEvent } from "./rows.ts";

/** Events as lines of PreparedEvent. */
export class EventLines implements EventFile {
  readonly #lines: RowFile;
  readonly #used = new NumberSet();

  constructor(path: string) {
    this.#lines = new RowFile(path);
  }

  get path(): string {
    return this.#lines.path;
  }

  get count(): number {
    return this.#lines.count;
  }

  write(state: ProjectState, event: CheckedEvent, userId: number, receivedMs: number): void {
    writeEvent(this.#lines, state, event, userId, receivedMs, this.#used);
  }

  undo(): void {
    this.#lines.undoLine();
  }

  properties(): readonly number[] {
    return this.#used.numbers();
  }

  close(): void {
    this.#lines.close();
  }

  abandon(): void {
    this.#lines.abandon();
  }
}
