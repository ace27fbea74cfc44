import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { SavedQueries, type SavedQuery } from "../../../../../gen/engage/analysis/v1/saved_queries_pb.ts";
import { type JsonTree, readJsonTree } from "../../../controls/json-tree.ts";
import { setQuery } from "../../../router/router.ts";
import { type Fault, faultOf } from "../../../rpc/fault.ts";
import { clientOf } from "../../../rpc/transport.ts";
import { writeTree } from "../state/tree.ts";

export const savedClient = clientOf(SavedQueries);

/** What people write about a saved query. */
export interface Title {
  readonly name: string;
  readonly description: string;
}

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

function createSavedState(
  projectId: bigint,
  onOpen: (tree: JsonTree) => void,
): SavedState & { follow(queryId: string, hasRequest: boolean): Promise<void> } {
  const present = signal<SavedQuery | undefined>(undefined);
  const fault = signal<Fault | undefined>(undefined);
  const changes = signal(0);

  /** Runs a call; shows its fault, or nothing. */
  async function attempt(call: () => Promise<void>): Promise<boolean> {
    fault.value = undefined;
    try {
      await call();
      return true;
    } catch (error) {
      fault.value = faultOf(error);
      return false;
    }
  }
  function show(query: SavedQuery | undefined): void {
    present.value = query;
    setQuery({ saved: query?.queryId ?? "" });
  }
  async function find(queryId: string): Promise<SavedQuery> {
    return (await savedClient.getSavedQuery({ projectId, queryId })).savedQuery!;
  }
  async function update(query: SavedQuery, changed: Partial<Title & Pick<SavedQuery, "requestJson">>) {
    const { queryId, name, description, requestJson, etag } = query;
    const savedQuery = { name, description, requestJson, etag, ...changed };
    const response = await savedClient.updateSavedQuery({ projectId, queryId, savedQuery });
    changes.value++;
    return response.savedQuery!;
  }
  async function open(queryId: string, isRequestKept: boolean): Promise<void> {
    await attempt(async () => {
      const found = await find(queryId);
      show(found);
      const tree = readJsonTree(found.requestJson);
      if (!isRequestKept && tree !== undefined) onOpen(tree);
    });
  }
  return {
    present,
    fault,
    changes,
    open: (queryId) => open(queryId, false),
    async follow(queryId, hasRequest) {
      if (queryId === (present.peek()?.queryId ?? "")) return;
      if (queryId === "") present.value = undefined;
      else await open(queryId, hasRequest);
    },
    async save(tree) {
      const query = present.peek();
      if (query === undefined) return;
      await attempt(async () => show(await update(query, { requestJson: writeTree(tree) })));
    },
    saveAs: (tree, title) =>
      attempt(async () => {
        const savedQuery = { ...title, requestJson: writeTree(tree) };
        const response = await savedClient.createSavedQuery({ projectId, savedQuery });
        changes.value++;
        show(response.savedQuery);
      }),
    rename: (query, title) =>
      attempt(async () => {
        // The list has no requests.
        const found = await find(query.queryId);
        const renamed = await update({ ...found, etag: query.etag }, title);
        if (present.peek()?.queryId === query.queryId) present.value = renamed;
      }),
    remove: ({ queryId, etag }) =>
      attempt(async () => {
        await savedClient.deleteSavedQuery({ projectId, queryId, etag });
        changes.value++;
        if (present.peek()?.queryId === queryId) show(undefined);
      }),
  };
}
