import { useMemo } from "preact/hooks";
import { type EventQuery, EventQuerySchema } from "../../../../../gen/engage/analysis/v1/query_pb.ts";
import { Command, CopyButton } from "../../../controls/copy.tsx";
import type { JsonTree } from "../../../controls/json-tree.ts";
import { writeTree } from "../../../filters/tree.ts";
import { serverUrl } from "../../../rpc/transport.ts";
import { t } from "../../../texts/texts.ts";
import { asCode, asCommand, asCurl } from "../result/copies.ts";

interface CopiesProps {
  readonly tree: JsonTree;
  readonly query: EventQuery;
}

/** The query for other programs. */
export function Copies({ tree, query }: CopiesProps) {
  const [curl, command, code] = useMemo(() => {
    const json = writeTree(tree);
    return [
      asCurl(serverUrl, json),
      asCommand(serverUrl, json),
      asCode(serverUrl, EventQuerySchema, query),
    ] as const;
  }, [tree, query]);
  return (
    <div class="item-list">
      <p class="muted">{t("query.copies.token")}</p>
      <h3>curl</h3>
      <Command text={curl} />
      <h3>{t("query.copies.command")}</h3>
      <Command text={command} />
      <h3>TypeScript</h3>
      <Command text={code} />
      <h3>{t("query.copies.link")}</h3>
      <div>
        <CopyButton text={location.href} label={t("query.copies.link")} />
      </div>
    </div>
  );
}
