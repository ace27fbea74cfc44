import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type JsonTree, readJsonTree } from "../../../controls/json-tree.ts";
import { writeTree } from "../../../filters/tree.ts";
import { setQuery } from "../../../router/router.ts";
import { decodeQuery, encodeQuery } from "../state/url.ts";

/** What is wrong with the link to the present query. */
export type LinkProblem = "damaged" | "long";

export interface LinkedQuery {
  readonly tree: Signal<JsonTree | undefined>;
  readonly problem: Signal<LinkProblem | undefined>;
  /** Changes the query; the URL follows. */
  change(tree: JsonTree): void;
}

/** Keeps the query in the URL, and follows links, the back button and the address bar. */
export function useLinkedQuery(encoded: string): LinkedQuery {
  const linked = useMemo(createLinkedQuery, []);
  useEffect(() => {
    void linked.follow(encoded);
  }, [encoded, linked]);
  return linked;
}

function createLinkedQuery(): LinkedQuery & { follow(encoded: string): Promise<void> } {
  const tree = signal<JsonTree | undefined>(undefined);
  const problem = signal<LinkProblem | undefined>(undefined);
  let written = "";
  return {
    tree,
    problem,
    change(next) {
      tree.value = next;
      void (async () => {
        const encoded = await encodeQuery(writeTree(next));
        // A later change writes the URL.
        if (tree.peek() !== next) return;
        problem.value = encoded === undefined ? "long" : undefined;
        written = encoded ?? "";
        setQuery({ q: written });
      })();
    },
    async follow(encoded) {
      if (encoded === written) return;
      written = encoded;
      if (encoded === "") {
        // The page was opened again from its start.
        tree.value = undefined;
        problem.value = undefined;
        return;
      }
      const json = await decodeQuery(encoded);
      if (encoded !== written) return;
      const found = json === undefined ? undefined : readJsonTree(json);
      const isQuery = found?.kind === "object";
      problem.value = isQuery ? undefined : "damaged";
      if (isQuery) tree.value = found;
    },
  };
}
