import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { SavedQuery } from "../../../../../gen/engage/analysis/v1/saved_queries_pb.ts";
import { mayWrite } from "../../../app/session.ts";
import { Button } from "../../../controls/button.tsx";
import { Loaded } from "../../../controls/loaded.tsx";
import { type Column, Pager, Table } from "../../../controls/table.tsx";
import { Time } from "../../../controls/time.tsx";
import { savedClient } from "../../../results/saved-queries.ts";
import { useKeysetPages } from "../../../rpc/pages.ts";
import { t } from "../../../texts/texts.ts";

const pageSize = 20;

interface SavedListProps {
  readonly projectId: bigint;
  /** Changes when the list has to be loaded again. */
  readonly changes: number;
  readonly onOpen: (query: SavedQuery) => void;
  readonly onRename: (query: SavedQuery) => void;
  readonly onRemove: (query: SavedQuery) => void;
}

/** The saved queries of a project by name. */
export function SavedList(props: SavedListProps) {
  const { projectId, changes } = props;
  const pages = useKeysetPages<SavedQuery>(`${projectId} ${changes}`, async (pageToken, signal) => {
    const { savedQueries, nextPageToken } = await savedClient.listSavedQueries(
      { projectId, pageSize, pageToken },
      { signal },
    );
    return { rows: savedQueries, nextToken: nextPageToken };
  });
  return (
    <Loaded data={pages.rows} fault={pages.fault} onRetry={pages.reload}>
      {(rows) =>
        rows.length === 0 && !pages.hasPrevious ? (
          <p class="muted">{t("query.saved.empty")}</p>
        ) : (
          <>
            <Table
              caption={t("query.saved")}
              columns={columnsOf(props)}
              rows={rows}
              keyOf={({ queryId }) => queryId}
            />
            {(pages.hasNext || pages.hasPrevious) && <Pager pages={pages} />}
          </>
        )
      }
    </Loaded>
  );
}

function columnsOf({ onOpen, onRename, onRemove }: SavedListProps): readonly Column<SavedQuery>[] {
  const shown: readonly Column<SavedQuery>[] = [
    {
      name: "name",
      title: t("query.saved.name"),
      isHeading: true,
      cell: (query) => (
        <Button
          kind="quiet"
          label={t("query.saved.open.of", { name: query.name })}
          onClick={() => onOpen(query)}
        >
          {query.name}
        </Button>
      ),
    },
    {
      name: "description",
      title: t("query.saved.description"),
      cell: ({ description }) => <span class="query-saved-description">{description}</span>,
    },
    {
      name: "updated",
      title: t("query.saved.updated"),
      cell: ({ updateTime }) => updateTime !== undefined && <Time ms={timestampMs(updateTime)} />,
    },
  ];
  if (!mayWrite.value) return shown;
  const actions: Column<SavedQuery> = {
    name: "actions",
    title: t("query.saved.actions"),
    cell: (query) => (
      <span class="row">
        <Button label={t("query.saved.rename.of", { name: query.name })} onClick={() => onRename(query)}>
          {t("query.saved.rename")}
        </Button>
        <Button
          kind="danger"
          label={t("query.saved.remove.of", { name: query.name })}
          onClick={() => onRemove(query)}
        >
          {t("query.saved.remove")}
        </Button>
      </span>
    ),
  };
  return [...shown, actions];
}
