import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { SavedQuery } from "../../../../../gen/engage/analysis/v1/saved_queries_pb.ts";
import { type JsonTree, readJsonTree } from "../../../controls/json-tree.ts";
import { writeTree } from "../../../filters/tree.ts";
import {
  createQuery,
  findQuery,
  savedClient,
  type Title,
  updateQuery,
} from "../../../results/saved-queries.ts";
import { setQuery } from "../../../router/router.ts";
import { type Fault, faultOf } from "../../../rpc/fault.ts";

export interface SavedState {
  /** The saved query that the form began with. */
  readonly present: ReadonlySignal<SavedQuery | undefined>;
  readonly fault: Signal<Fault | undefined>;
  /** Counts changes of the list. */
  readonly changes: ReadonlySignal<number>;
  open(queryId: string): Promise<void>;
  /** Saves the request of the form in the present query. */
  save(tree: JsonTree): Promise<void>;
  /** Resolves with whether it worked. */
  saveAs(tree: JsonTree, title: Title): Promise<boolean>;
  rename(query: SavedQuery, title: Title): Promise<boolean>;
  remove(query: SavedQuery): Promise<boolean>;
}

/**
 * Keeps the saved query that the URL names. A link with the name alone opens it; one with a request too keeps the
 * request, which may have changes.
 */
export function useSaved(
  projectId: bigint,
  query: ReadonlyMap<string, string>,
  onOpen: (tree: JsonTree) => void,
): SavedState {
  const state = useMemo(() => createSavedState(projectId, onOpen), [projectId]);
  const id = query.get("saved") ?? "";
  const hasRequest = (query.get("q") ?? "") !== "";
  const shownProject = useRef(projectId);
  useEffect(() => {
    const isSame = shownProject.current === projectId;
    shownProject.current = projectId;
    // A saved query belongs to one project.
    if (isSame) void state.follow(id, hasRequest);
    else setQuery({ saved: "" });
  }, [state, id]);
  return state;
}

function createSavedState(projectId: bigint, onOpen: (tree: JsonTree) => void) {
  const shown = createShown();
  return { ...shown, ...createOpening(projectId, shown, onOpen), ...createChanges(projectId, shown) };
}

/** What the panel shows, and how calls change it. */
function createShown() {
  const present = signal<SavedQuery | undefined>(undefined);
  const fault = signal<Fault | undefined>(undefined);
  return {
    present,
    fault,
    changes: signal(0),
    show(query: SavedQuery | undefined): void {
      present.value = query;
      setQuery({ saved: query?.queryId ?? "" });
    },
    /** Runs a call; shows its fault, or nothing. */
    async attempt(call: () => Promise<void>): Promise<boolean> {
      fault.value = undefined;
      try {
        await call();
        return true;
      } catch (error) {
        fault.value = faultOf(error);
        return false;
      }
    },
  };
}

type Shown = ReturnType<typeof createShown>;

function createOpening(
  projectId: bigint,
  { present, show, attempt }: Shown,
  onOpen: (tree: JsonTree) => void,
) {
  async function open(queryId: string, isRequestKept: boolean): Promise<void> {
    await attempt(async () => {
      const found = await findQuery(projectId, queryId);
      show(found);
      const tree = readJsonTree(found.requestJson);
      if (!isRequestKept && tree !== undefined) onOpen(tree);
    });
  }
  return {
    open: (queryId: string) => open(queryId, false),
    /** Opens the saved query that the URL names, unless it is open. */
    async follow(queryId: string, hasRequest: boolean): Promise<void> {
      if (queryId === (present.peek()?.queryId ?? "")) return;
      if (queryId === "") present.value = undefined;
      else await open(queryId, hasRequest);
    },
  };
}

function createChanges(
  projectId: bigint,
  { present, changes, show, attempt }: Shown,
): Pick<SavedState, "save" | "saveAs" | "rename" | "remove"> {
  const isPresent = (queryId: string): boolean => present.peek()?.queryId === queryId;
  return {
    async save(tree) {
      const query = present.peek();
      if (query === undefined) return;
      await attempt(async () => {
        const saved = await updateQuery(projectId, query, { requestJson: writeTree(tree) });
        changes.value++;
        show(saved);
      });
    },
    saveAs: (tree, title) =>
      attempt(async () => {
        const saved = await createQuery(projectId, title, writeTree(tree));
        changes.value++;
        show(saved);
      }),
    rename: (query, title) =>
      attempt(async () => {
        const found = await findQuery(projectId, query.queryId);
        const renamed = await updateQuery(projectId, { ...found, etag: query.etag }, title);
        changes.value++;
        if (isPresent(query.queryId)) present.value = renamed;
      }),
    remove: ({ queryId, etag }) =>
      attempt(async () => {
        await savedClient.deleteSavedQuery({ projectId, queryId, etag });
        changes.value++;
        if (isPresent(queryId)) show(undefined);
      }),
  };
}
