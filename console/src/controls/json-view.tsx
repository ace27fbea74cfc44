import { useMemo } from "preact/hooks";
import { tn } from "../texts/texts.ts";
import { type JsonTree, readJsonTree } from "./json-tree.ts";
import { LongText } from "./long-text.tsx";

/** Deeper values are closed at first. */
const openDepth = 2;

/** Shows JSON exactly as it was written: the order of keys, repeated keys and all digits of numbers. */
export function JsonView({ text, label }: { readonly text: string; readonly label: string }) {
  const tree = useMemo(() => readJsonTree(text), [text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
    <section class="json" tabIndex={0} aria-label={label}>
      {tree === undefined ? <LongText text={text} kind="string" /> : <Value tree={tree} depth={0} />}
    </section>
  );
}

function Value({ tree, depth }: { readonly tree: JsonTree; readonly depth: number }) {
  if (tree.kind === "string") return <LongText text={JSON.stringify(tree.text)} kind="string" />;
  if (tree.kind === "number" || tree.kind === "word") return <LongText text={tree.text} kind={tree.kind} />;
  const isObject = tree.kind === "object";
  const count = isObject ? tree.members.length : tree.elements.length;
  if (count === 0) return <span>{isObject ? "{}" : "[]"}</span>;
  return (
    <details open={depth < openDepth}>
      <summary>
        {isObject ? "{…} " : "[…] "}
        <span class="muted">{tn(isObject ? "json.members" : "json.elements", count)}</span>
      </summary>
      <div class="inside">
        {isObject ? <Members tree={tree} depth={depth} /> : <Elements tree={tree} depth={depth} />}
      </div>
    </details>
  );
}

interface InsideProps<Kind extends JsonTree["kind"]> {
  readonly tree: Extract<JsonTree, { readonly kind: Kind }>;
  readonly depth: number;
}

function Members({ tree, depth }: InsideProps<"object">) {
  return tree.members.map(([name, value], i) => (
    // Members keep their places, and names may repeat.
    <div key={i}>
      <span class="name">{JSON.stringify(name)}</span>: <Value tree={value} depth={depth + 1} />
    </div>
  ));
}

function Elements({ tree, depth }: InsideProps<"array">) {
  return tree.elements.map((value, i) => (
    // Elements keep their places.
    <div key={i}>
      <Value tree={value} depth={depth + 1} />
    </div>
  ));
}
