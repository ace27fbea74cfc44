import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Field } from "../../../controls/field.tsx";
import { type JsonTree, readJsonTree } from "../../../controls/json-tree.ts";
import { writeTree } from "../../../filters/tree.ts";
import { t } from "../../../texts/texts.ts";

interface JsonEditorProps {
  readonly tree: JsonTree;
  readonly onChange: (tree: JsonTree) => void;
  /** What is wrong with members, in words. */
  readonly faults: readonly string[];
  /** Paths of members without effect. */
  readonly ignored: readonly string[];
}

/** The query as the JSON of its request. What is typed becomes the query as soon as it is JSON. */
export function JsonEditor({ tree, onChange, faults, ignored }: JsonEditorProps) {
  const text = useSignal(writeTree(tree, 2));
  const problem = useSignal<string | undefined>(undefined);
  // A change from elsewhere replaces the text; one from here is already in it.
  useEffect(() => {
    const typed = readJsonTree(text.peek());
    if (typed !== undefined && writeTree(typed) === writeTree(tree)) return;
    text.value = writeTree(tree, 2);
    problem.value = undefined;
  }, [tree]);
  const edit = (next: string): void => {
    text.value = next;
    const read = readQueryText(next);
    problem.value = read.problem;
    if (read.tree !== undefined) onChange(read.tree);
  };
  return (
    <div class="query-json">
      <Field
        label={t("query.json")}
        limits={t("query.json.limits")}
        rows={22}
        value={text.value}
        error={problem.value ?? (faults.length > 0 ? faults.join(" ") : undefined)}
        onInput={edit}
      />
      {ignored.length > 0 && <p class="muted">{t("query.ignored", { names: ignored.join(", ") })}</p>}
    </div>
  );
}

function readQueryText(text: string): { readonly tree?: JsonTree; readonly problem?: string } {
  try {
    JSON.parse(text);
  } catch (error) {
    return { problem: t("query.json.invalid", { reason: (error as Error).message }) };
  }
  const tree = readJsonTree(text);
  return tree?.kind === "object" ? { tree } : { problem: t("query.json.object") };
}
