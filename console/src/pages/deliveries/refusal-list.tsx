import { timestampMs } from "@bufbuild/protobuf/wkt";
import { RefusalReason, type RefusedRequest } from "../../../../gen/engage/webhook/v1/refused_request_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { Badge } from "../../controls/badge.tsx";
import { BytesView } from "../../controls/bytes/bytes-view.tsx";
import { Card } from "../../controls/card.tsx";
import { Select } from "../../controls/field.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { LongText } from "../../controls/long-text.tsx";
import { RefreshButton } from "../../controls/refresh-button.tsx";
import { Pager } from "../../controls/table.tsx";
import { Time } from "../../controls/time.tsx";
import { setQuery } from "../../router/router.ts";
import { useKeysetPages } from "../../rpc/pages.ts";
import { t } from "../../texts/texts.ts";
import { client } from "./client.ts";
import { FilterForm, type Names } from "./filter-form.tsx";
import { readFilters } from "./filters.ts";
import { nameOfRefusal, refusalNames, refusals } from "./states.ts";

const pageSize = 25;

interface RefusalListProps extends Pick<PageProps, "query"> {
  readonly names: Names;
}

/** The latest requests that this replica has refused, each with the likely cause. */
export function RefusalList({ query, names }: RefusalListProps) {
  const filters = readFilters(query);
  const { channel } = filters;
  const kind = refusalNames.find((name) => name === query.get("refused"));
  const pages = useKeysetPages<RefusedRequest>(JSON.stringify([channel, kind]), async (pageToken, signal) => {
    const reason = kind === undefined ? RefusalReason.UNSPECIFIED : refusals[kind];
    const request = { channel, reason, pageSize, pageToken };
    const { refusals: rows, nextPageToken } = await client.listRefusals(request, { signal });
    return { rows, nextToken: nextPageToken };
  });
  const refresh = <RefreshButton onClick={pages.reload} />;
  return (
    <Card title={t("deliveries.tab.refused")} actions={refresh}>
      <FilterForm filters={filters} names={names} shown={["channel"]} />
      <div class="filters">
        <Select
          label={t("deliveries.refusal")}
          value={kind ?? ""}
          options={["" as const, ...refusalNames].map((value) => ({
            value,
            text: t(value === "" ? "deliveries.refusal.all" : `deliveries.refusal.${value}`),
          }))}
          onChange={(value) => setQuery({ refused: value })}
        />
      </div>
      <p class="card-line muted">{t("deliveries.refused.replica")}</p>
      <Loaded data={pages.rows} fault={pages.fault} onRetry={pages.reload}>
        {(rows) => (
          <>
            {rows.length === 0 && <p class="card-line">{t("deliveries.refused.none")}</p>}
            <ol class="deliveries-tail">
              {rows.map((request) => (
                <li key={String(request.number)}>
                  <RefusalView request={request} />
                </li>
              ))}
            </ol>
            {rows.length > 0 && <Pager pages={pages} />}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function RefusalView({ request }: { readonly request: RefusedRequest }) {
  const { time, channel, reason, message, cause, body, bodyBytes } = request;
  return (
    <div class="stack">
      <div class="row">
        {time !== undefined && <Time ms={timestampMs(time)} />}
        <Badge tone="bad">{t(`deliveries.refusal.${nameOfRefusal(reason)}`)}</Badge>
        <strong>
          <LongText text={channel} />
        </strong>
        <LongText text={message} />
      </div>
      {cause !== "" && (
        <p>
          <span class="muted">{t("deliveries.cause")}</span> <LongText text={cause} />
        </p>
      )}
      {bodyBytes === undefined ? (
        <p class="muted">{t("deliveries.refused.unread")}</p>
      ) : (
        <details>
          <summary>{t("deliveries.body.beginning")}</summary>
          <BytesView bytes={body} total={Number(bodyBytes)} label={t("deliveries.body.beginning")} />
        </details>
      )}
    </div>
  );
}
