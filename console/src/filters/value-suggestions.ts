import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Catalog, PropertyTable } from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import { clientOf } from "../rpc/transport.ts";

const client = clientOf(Catalog);
const pageSize = 50;
const pauseMs = 250;

/** The column whose values are suggested. */
export interface SuggestedColumn {
  readonly projectId: bigint;
  /** Undefined for a column without values of its own, such as a cohort. */
  readonly table: "event" | "user" | undefined;
  readonly column: string;
  /** Only values of this event; empty for any. */
  readonly event: string;
  /** Whether values can be found by their beginning. */
  readonly isText: boolean;
}

/** Loads the most frequent values of a column while its field is in use, after a pause in typing. */
export function useValueSuggestions(
  { projectId, table, column, event, isText }: SuggestedColumn,
  isInUse: boolean,
  typed: string,
): readonly string[] {
  const values = useSignal<readonly string[]>([]);
  const prefix = isText ? typed : "";
  useEffect(() => {
    if (!isInUse || table === undefined || column === "") return;
    const end = new AbortController();
    const timer = setTimeout(() => void load(end.signal), pauseMs);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
    async function load(signal: AbortSignal): Promise<void> {
      const of = { projectId, property: column, prefix, pageSize };
      const ofTable =
        table === "user" ? { table: PropertyTable.USER } : { table: PropertyTable.EVENT, event };
      try {
        const found = await client.listPropertyValues({ ...of, ...ofTable }, { signal });
        values.value = found.values.map(({ value }) => value);
      } catch {
        // Suggestions are a help: without them values are typed.
        values.value = [];
      }
    }
  }, [projectId, table, column, event, prefix, isInUse]);
  return values.value;
}
