import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type DeadLetter, DeadLetterOrder } from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { Button } from "../../controls/button.tsx";
import { textOf } from "../../controls/bytes/bytes.ts";
import { Card } from "../../controls/card.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { LongText } from "../../controls/long-text.tsx";
import { type Column, Pager, Table } from "../../controls/table.tsx";
import { Time } from "../../controls/time.tsx";
import { setQuery } from "../../router/router.ts";
import { collectPage } from "../../rpc/collect-page.ts";
import { type KeysetPages, useKeysetPages } from "../../rpc/pages.ts";
import { t } from "../../texts/texts.ts";
import { Actions } from "./actions.tsx";
import { client } from "./client.ts";
import { FilterForm } from "./filter-form.tsx";
import { type Filters, filterOf, isFiltered, noFilters } from "./filters.ts";
import type { KindName } from "./kinds.ts";
import { LetterLink } from "./letter-link.tsx";
import { placeColumns } from "./reason-list.tsx";

const pageSize = 50;

export interface LetterListProps {
  readonly filters: Filters;
  readonly obstacle: string;
  /** Changes when they may have changed. */
  readonly version: number;
  readonly onChanged: () => void;
}

/** The dead letters of a kind that the filters select. */
export function LetterList({ filters, obstacle, version, onChanged }: LetterListProps) {
  const filter = filterOf(filters);
  const order = filters.isOldestFirst ? DeadLetterOrder.OLDEST : DeadLetterOrder.NEWEST;
  const pages = useKeysetPages<DeadLetter>(`${JSON.stringify(filters)} ${version}`, (token, signal) =>
    collectPage(pageSize, token, async (size, pageToken) => {
      const request = { filter, order, pageSize: size, pageToken };
      const { deadLetters, nextPageToken } = await client.listDeadLetters(request, { signal });
      return { rows: deadLetters, nextToken: nextPageToken };
    }),
  );
  const isSearch = isFiltered(filters);
  const actions = (
    <Actions
      kind={filters.kind}
      filter={filter}
      isAll={!isSearch}
      obstacle={obstacle}
      onChanged={onChanged}
    />
  );
  return (
    <Card title={t("deadLetters.list")} actions={actions}>
      <FilterForm filters={filters} />
      {isSearch && (
        <p class="card-line">
          <Button kind="quiet" onClick={() => setQuery(noFilters)}>
            {t("deadLetters.clear")}
          </Button>
        </p>
      )}
      <Loaded data={pages.rows} fault={pages.fault} onRetry={pages.reload}>
        {(rows) => <Rows rows={rows} pages={pages} kind={filters.kind} />}
      </Loaded>
    </Card>
  );
}

interface RowsProps {
  readonly rows: readonly DeadLetter[];
  readonly pages: KeysetPages<DeadLetter>;
  readonly kind: KindName;
}

function Rows({ rows, pages, kind }: RowsProps) {
  return (
    <>
      {rows.length === 0 ? (
        <p class="card-line muted">{t(pages.hasNext ? "deadLetters.none.soFar" : "deadLetters.none")}</p>
      ) : (
        <Table
          caption={t("deadLetters.list")}
          columns={columnsOf(kind)}
          rows={rows}
          keyOf={({ deadLetterId }) => deadLetterId}
        />
      )}
      <Pager pages={pages} />
    </>
  );
}

function columnsOf(kind: KindName): readonly Column<DeadLetter>[] {
  return [
    {
      name: "time",
      title: t("deadLetters.time"),
      isHeading: true,
      cell: ({ deadLetterId, deadTime }) => (
        <LetterLink id={deadLetterId} text={deadTime && <Time ms={timestampMs(deadTime)} />} />
      ),
    },
    ...placeColumns(kind),
    ...(kind === "parser"
      ? [{ name: "index", title: t("deadLetters.index"), cell: ({ index }: DeadLetter) => index }]
      : []),
    { name: "reason", title: t("deadLetters.reason"), cell: ({ reason }) => <LongText text={reason} /> },
    {
      name: "content",
      title: t(kind === "webhook" ? "deadLetters.push" : "deadLetters.content"),
      cell: (letter) => <LongText text={kind === "webhook" ? letter.pushId : shownContent(letter)} />,
    },
  ];
}

function shownContent({ content, contentIsCut }: DeadLetter): string {
  const text = textOf(content);
  if (text === undefined) return t("deadLetters.binary");
  return contentIsCut ? `${text}…` : text;
}
