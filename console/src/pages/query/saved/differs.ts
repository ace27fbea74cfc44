import { type JsonTree, readJsonTree } from "../../../controls/json-tree.ts";
import { writeTree } from "../../../filters/tree.ts";

/** Reports whether a request differs from the JSON that is saved; spaces and line ends do not count. */
export function differs(tree: JsonTree, requestJson: string): boolean {
  const saved = readJsonTree(requestJson);
  return saved === undefined || writeTree(saved) !== writeTree(tree);
}
