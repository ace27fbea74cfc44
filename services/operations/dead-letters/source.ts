/** A dead letter of any kind. */
export interface FoundDeadLetter {
  /** Identifies it among those of its kind. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  readonly reason: string;
  readonly message: string;
  readonly projectId?: number | undefined;
  readonly channel?: string;
  readonly target?: string;
  readonly pushId?: string;
  readonly deliveryId?: string;
  readonly source?: string;
  readonly index?: string | undefined;
  readonly format?: string | undefined;
  readonly lines: number;
  /** Undefined where it takes another query. */
  readonly content: string | Uint8Array | undefined;
  readonly isIncomplete: boolean;
}

/** All given fields must match. */
export interface SourceFilter {
  readonly id?: string;
  readonly reason?: string;
  readonly text?: string;
  readonly projectId?: number;
  readonly channel?: string;
  readonly target?: string;
  readonly index?: string;
  readonly fromMs?: number;
  readonly untilMs?: number;
}

/** A page may have fewer items than requested, or none, while `next` is set. */
export interface Part<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Lines which are read while they are taken, so that few of them are in memory. */
export interface ExportPart {
  readonly items: Iterable<string> | AsyncIterable<string>;
  readonly next: string | null;
}

export interface FoundGroup {
  readonly reason: string;
  readonly projectId?: number | undefined;
  readonly channel?: string;
  readonly target?: string;
  readonly count: number;
  /** Undefined where it is not known. */
  readonly bytes?: number;
  readonly oldestMs: number;
  readonly newestMs: number;
  readonly example: FoundDeadLetter;
}

export interface FoundGroups {
  readonly groups: readonly FoundGroup[];
  readonly isComplete: boolean;
}

export interface ReplayPart {
  readonly replayed: number;
  readonly refused: number;
  readonly incomplete: number;
  readonly firstRefusal: string;
  readonly next: string | null;
}

export interface PartRequest {
  readonly limit: number;
  readonly after?: string | undefined;
}

/** The dead letters of one kind. Each call does a bounded amount of work. */
export interface DeadLetterSource {
  /** The fields of a filter that only this kind and some others have. */
  readonly fields: readonly ("projectId" | "channel" | "target" | "index")[];
  /** Why they cannot be replayed; undefined if they can. */
  readonly replayObstacle: string | undefined;
  groups(): Promise<FoundGroups>;
  list(
    filter: SourceFilter,
    request: PartRequest & { readonly order: "newest" | "oldest" },
  ): Promise<Part<FoundDeadLetter>>;
  /** Returns one with its content; null if there is none. */
  get(id: string): Promise<FoundDeadLetter | null>;
  count(
    filter: SourceFilter,
    after: string | undefined,
  ): Promise<{ readonly count: number; readonly next: string | null }>;
  /** Hands on the next ones, the oldest first. */
  replay(filter: SourceFilter, request: PartRequest): Promise<ReplayPart>;
  /** Returns the next ones, the newest first, as lines of JSON without their ends. */
  export(filter: SourceFilter, request: PartRequest): Promise<ExportPart>;
}

/** The source of a kind that the server has no store for. */
export function createEmptySource(replayObstacle: string): DeadLetterSource {
  return {
    fields: [],
    replayObstacle,
    groups: async () => ({ groups: [], isComplete: true }),
    list: async () => ({ items: [], next: null }),
    get: async () => null,
    count: async () => ({ count: 0, next: null }),
    replay: async () => ({ replayed: 0, refused: 0, incomplete: 0, firstRefusal: "", next: null }),
    export: async () => ({ items: [], next: null }),
  };
}

/** Returns a source that does what the current one does. */
export function followSource(current: () => DeadLetterSource): DeadLetterSource {
  return {
    get fields() {
      return current().fields;
    },
    get replayObstacle() {
      return current().replayObstacle;
    },
    groups: () => current().groups(),
    list: (filter, request) => current().list(filter, request),
    get: (id) => current().get(id),
    count: (filter, after) => current().count(filter, after),
    replay: (filter, request) => current().replay(filter, request),
    export: (filter, request) => current().export(filter, request),
  };
}
