import { Code, ConnectError } from "@connectrpc/connect";
import type {
  DeadLetterList,
  StoredDeadLetter,
  StoredFilter,
  StoredGroup,
} from "../../../store/deadletters/deadletters.ts";
import type { DeadLetterSource, FoundDeadLetter, FoundGroup, ReplayPart, SourceFilter } from "./source.ts";

/** A list of dead letters and what its service knows about it. */
export interface ListedOptions {
  readonly list: DeadLetterList;
  /** Of records: the project of an index, and the index of a project. */
  readonly projects?: {
    of(index: string | undefined): number | undefined;
    indexOf(projectId: number): string;
  };
  /**
   * Hands one on again. Resolves to the reason when it is refused again, and to undefined when it is taken. A text
   * instead of a function says why none can be handed on.
   */
  readonly replay: ((letter: StoredDeadLetter) => Promise<string | undefined>) | string;
  /** Resolves to the right to replay, which one process has at a time; to undefined when another has it. */
  readonly acquire: () => Promise<AsyncDisposable | undefined>;
}

/** Creates the source over a list of lines. */
export function createListedSource(options: ListedOptions): DeadLetterSource {
  const { list, projects, replay } = options;
  const stored = (filter: SourceFilter): StoredFilter => storedFilterOf(filter, projects);
  const toFound = (letter: StoredDeadLetter): FoundDeadLetter => foundOf(letter, projects);
  return {
    fields: projects === undefined ? ["index"] : ["projectId"],
    replayObstacle: typeof replay === "string" ? replay : undefined,
    async groups() {
      const { groups, isComplete } = await list.groups();
      return { groups: groups.map((group) => toGroup(group, projects)), isComplete };
    },
    async list(filter, request) {
      const { items, next } = await list.list(stored(filter), request);
      return { items: items.map(toFound), next };
    },
    async get(id) {
      const letter = await list.get(id);
      return letter && toFound(letter);
    },
    count: (filter, after) => list.count(stored(filter), after),
    replay: (filter, request) => replayPart(options, stored(filter), request),
    async export(filter, request) {
      const { items, next } = await list.list(stored(filter), { ...request, order: "newest" });
      return { items: items.map(({ json }) => json), next };
    },
  };
}

type Projects = ListedOptions["projects"];

function storedFilterOf({ projectId, index, ...filter }: SourceFilter, projects: Projects): StoredFilter {
  const { id, reason, text, fromMs, untilMs } = filter;
  const ofProject = projectId === undefined ? undefined : projects?.indexOf(projectId);
  const wanted = ofProject ?? index;
  return {
    ...(id !== undefined && { id }),
    ...(reason !== undefined && { reason }),
    ...(text !== undefined && { text }),
    ...(wanted !== undefined && { index: wanted }),
    ...(fromMs !== undefined && { fromMs }),
    ...(untilMs !== undefined && { untilMs }),
  };
}

function foundOf(letter: StoredDeadLetter, projects: Projects): FoundDeadLetter {
  const { id, timeMs, reason, message, source, index, format, lines, line, isCut } = letter;
  const projectId = projects?.of(index);
  // The index of a record is its project.
  const shown = projectId === undefined ? index : undefined;
  return {
    id,
    timeMs,
    reason,
    message,
    source,
    projectId,
    index: shown,
    format,
    lines,
    content: line,
    isIncomplete: isCut,
  };
}

function toGroup(group: StoredGroup, projects: Projects): FoundGroup {
  const { reason, index, count, bytes, oldestMs, newestMs, example } = group;
  return {
    reason,
    projectId: projects?.of(index),
    count,
    bytes,
    oldestMs,
    newestMs,
    example: foundOf(example, projects),
  };
}

async function replayPart(
  { list, replay, acquire }: ListedOptions,
  filter: StoredFilter,
  request: { readonly limit: number; readonly after?: string | undefined },
): Promise<ReplayPart> {
  if (typeof replay === "string") throw new ConnectError(replay, Code.FailedPrecondition);
  await using right = await acquire();
  if (right === undefined) {
    throw new ConnectError("another call replays dead letters of this kind, try again", Code.Aborted);
  }
  const { items, next } = await list.list(filter, { ...request, order: "oldest" });
  const taken: string[] = [];
  const refusals: string[] = [];
  const complete = items.filter(({ isCut }) => !isCut);
  try {
    for (const letter of complete) {
      const refusal = await replay(letter);
      if (refusal === undefined) taken.push(letter.id);
      else refusals.push(refusal);
    }
  } finally {
    // Those that were taken before a failure are no dead letters any more.
    if (taken.length > 0) await list.remove(taken);
  }
  return {
    replayed: taken.length,
    refused: refusals.length,
    incomplete: items.length - complete.length,
    firstRefusal: refusals[0] ?? "",
    next,
  };
}
