import { textOf } from "../../controls/bytes/bytes.ts";
import { BytesView } from "../../controls/bytes/bytes-view.tsx";
import { readJsonTree } from "../../controls/json-tree.ts";
import { JsonView } from "../../controls/json-view.tsx";

export interface ContentViewProps {
  readonly content: Uint8Array;
  readonly label: string;
}

/** Shows JSON with the order of its members and all digits, and any other content as bytes. */
export function ContentView({ content, label }: ContentViewProps) {
  const text = textOf(content);
  const isTree = text !== undefined && /^\s*[[{]/.test(text) && readJsonTree(text) !== undefined;
  return isTree ? <JsonView text={text} label={label} /> : <BytesView bytes={content} label={label} />;
}
