import type { StoreMover } from "../../../store/events/clickhouse/move/move.ts";
import {
  type ContentsReader,
  PartChangedError,
  type ProjectContents,
  type StoredPart,
} from "../../../store/events/contents.ts";

export interface CopyOptions {
  readonly reader: ContentsReader;
  readonly mover: StoreMover;
  /** Whether nothing changes the source, so that all of it can be copied. */
  readonly isStopped: boolean;
  /** Days from this one on are copied when the source is stopped. */
  readonly today: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, all: number) => void;
}

export interface CopyReport {
  /** Parts and rows that were copied now. */
  readonly parts: number;
  readonly rows: number;
  /** Parts that were the same as their last copy. */
  readonly unchanged: number;
  /** Parts that are left until the source is stopped. */
  readonly left: number;
}

interface Copy {
  readonly project: ProjectContents;
  readonly part: StoredPart;
}

/** Copies all parts which have changed since their last copy. While the source runs, these are closed days. */
export async function copyParts(options: CopyOptions): Promise<CopyReport> {
  const { reader, mover, isStopped, signal, onProgress } = options;
  const projects = await reader.contents();
  const copies: Copy[] = [];
  let unchanged = 0;
  let left = 0;
  for (const project of projects) {
    await mover.setNames(project);
    const moved = await mover.moved(project.projectId);
    const names = new Set(project.parts.map(({ name }) => name));
    const gone = [...moved.keys()].filter((name) => !names.has(name));
    if (gone.length > 0) await mover.remove(project.projectId, gone);
    for (const part of project.parts) {
      if (moved.get(part.name) === part.stamp) unchanged++;
      else if (isStopped || isClosed(part, options)) copies.push({ project, part });
      else left++;
    }
  }
  const all = copies.reduce((sum, { part }) => sum + part.rows, 0);
  let rows = 0;
  for (const { project, part } of copies) {
    signal.throwIfAborted();
    try {
      await mover.copy(project, part, reader.readPart(part, signal), (some) => {
        rows += some;
        onProgress(Math.min(rows, all), all);
      });
    } catch (error) {
      // A closed day has got late events meanwhile. Its copy is given up, and made again later.
      if (isStopped || !(error instanceof PartChangedError)) throw error;
      left++;
    }
  }
  return { parts: copies.length, rows, unchanged, left };
}

function isClosed({ kind, day }: StoredPart, { today }: CopyOptions): boolean {
  return kind === "day" && day! < today;
}
