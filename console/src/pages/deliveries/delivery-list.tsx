import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Delivery, DeliveryState } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { mayWrite } from "../../app/session.ts";
import { Badge } from "../../controls/badge.tsx";
import { Card } from "../../controls/card.tsx";
import { DialogButton } from "../../controls/dialog/dialog-button.tsx";
import { NoMessages } from "../../controls/first-data.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { LongText } from "../../controls/long-text.tsx";
import { RefreshButton } from "../../controls/refresh-button.tsx";
import { type Column, Pager, Table } from "../../controls/table.tsx";
import { Time } from "../../controls/time.tsx";
import { ReplayDialog } from "../../replay/replay-dialog.tsx";
import { collectPage } from "../../rpc/collect-page.ts";
import { type KeysetPages, useKeysetPages } from "../../rpc/pages.ts";
import { formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";
import { client } from "./client.ts";
import { FilterForm, type Names } from "./filter-form.tsx";
import {
  deadLetterFilterOf,
  deliveryFilterOf,
  type Filters,
  isFiltered,
  mayBeDead,
  readFilters,
} from "./filters.ts";
import { DeliveryLink, shortOf } from "./links.tsx";
import { messagesOf } from "./replay.ts";
import { nameOfState, states, stateTones } from "./states.ts";

const pageSize = 50;
const shownFilters = ["channel", "target", "state", "push", "request", "reason", "time"] as const;

interface DeliveryListProps extends Pick<PageProps, "query"> {
  readonly names: Names;
}

/** Messages by target, the newest first. */
export function DeliveryList({ query, names }: DeliveryListProps) {
  const filters = readFilters(query);
  const pages = useKeysetPages<Delivery>(JSON.stringify(filters), (token, signal) =>
    collectPage(pageSize, token, async (size, pageToken) => {
      const state = filters.state === "" ? DeliveryState.UNSPECIFIED : states[filters.state];
      const request = { filter: deliveryFilterOf(filters), state, pageSize: size, pageToken };
      const { deliveries, nextPageToken } = await client.listDeliveries(request, { signal });
      return { rows: deliveries, nextToken: nextPageToken };
    }),
  );
  return (
    <Card title={t("deliveries.tab.list")} actions={<Actions filters={filters} onChanged={pages.reload} />}>
      <FilterForm filters={filters} names={names} shown={shownFilters} />
      <Loaded data={pages.rows} fault={pages.fault} onRetry={pages.reload}>
        {(rows) => <Rows rows={rows} pages={pages} isFiltered={isFiltered(filters)} />}
      </Loaded>
    </Card>
  );
}

interface ActionsProps {
  readonly filters: Filters;
  readonly onChanged: () => void;
}

function Actions({ filters, onChanged }: ActionsProps) {
  const isAll = !isFiltered({ ...filters, state: "" });
  const text = t(isAll ? "deliveries.replay.all" : "deliveries.replay.filtered");
  return (
    <div class="row">
      <RefreshButton onClick={onChanged} />
      <DialogButton
        text={text}
        isOffered={mayWrite.value && mayBeDead(filters)}
        dialog={(close) => (
          <ReplayDialog
            title={text}
            page="deliveries"
            selected={messagesOf(client, deadLetterFilterOf(filters), isAll)}
            onReplayed={onChanged}
            onClose={close}
          />
        )}
      />
    </div>
  );
}

interface RowsProps {
  readonly rows: readonly Delivery[];
  readonly pages: KeysetPages<Delivery>;
  readonly isFiltered: boolean;
}

function Rows({ rows, pages, isFiltered: isSearch }: RowsProps) {
  if (rows.length === 0 && !isSearch && !pages.hasPrevious) return <NoMessages />;
  return (
    <>
      {rows.length === 0 ? (
        <p class="card-line muted">{t(pages.hasNext ? "deliveries.none.soFar" : "deliveries.none")}</p>
      ) : (
        <Table
          caption={t("deliveries.tab.list")}
          columns={columns()}
          rows={rows}
          keyOf={({ deliveryId }) => deliveryId}
        />
      )}
      <Pager pages={pages} />
    </>
  );
}

function columns(): readonly Column<Delivery>[] {
  return [
    {
      name: "push",
      title: t("deliveries.push"),
      isHeading: true,
      cell: ({ deliveryId, pushId }) => <DeliveryLink id={deliveryId} text={shortOf(pushId)} />,
    },
    {
      name: "accepted",
      title: t("deliveries.accepted"),
      cell: ({ acceptedTime }) => acceptedTime && <Time ms={timestampMs(acceptedTime)} />,
    },
    { name: "state", title: t("deliveries.state"), cell: ({ state }) => <StateBadge state={state} /> },
    { name: "channel", title: t("deliveries.channel"), cell: ({ channel }) => channel },
    { name: "target", title: t("deliveries.target"), cell: ({ target }) => target },
    {
      name: "attempts",
      title: t("deliveries.attempts"),
      isNumber: true,
      cell: ({ attempts }) => attempts !== undefined && formatNumber(attempts),
    },
    { name: "reason", title: t("deliveries.reason"), cell: ({ reason }) => <LongText text={reason} /> },
  ];
}

export function StateBadge({ state }: { readonly state: DeliveryState }) {
  const name = nameOfState(state);
  return <Badge tone={stateTones[name]}>{t(`deliveries.state.${name}`)}</Badge>;
}
