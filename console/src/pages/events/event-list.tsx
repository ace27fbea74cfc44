import {
  Catalog,
  type Event,
  EventOrder,
  type Project,
} from "../../../../gen/engage/analysis/v1/catalog_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { Card } from "../../controls/card.tsx";
import { Field, Select } from "../../controls/field.tsx";
import { NoEvents } from "../../controls/first-data.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { type Column, Pager, Table } from "../../controls/table.tsx";
import { hrefOf, setQuery } from "../../router/router.ts";
import { useKeysetPages } from "../../rpc/pages.ts";
import { clientOf } from "../../rpc/transport.ts";
import { formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";

const client = clientOf(Catalog);
const pageSize = 50;

interface EventListProps extends Pick<PageProps, "query"> {
  readonly project: Project;
}

/** The events of a project with their numbers. */
export function EventList({ project, query }: EventListProps) {
  const { projectId } = project;
  const prefix = query.get("prefix") ?? "";
  const isByName = query.get("order") === "name";
  const order = isByName ? EventOrder.NAME : EventOrder.COUNT;
  const pages = useKeysetPages<Event>(`${projectId} ${order} ${prefix}`, async (pageToken, signal) => {
    const request = { projectId, prefix, order, pageSize, pageToken };
    const { events, nextPageToken } = await client.listEvents(request, { signal });
    return { rows: events, nextToken: nextPageToken };
  });
  return (
    <Card title={t("events.tab.catalogue")}>
      <search class="filters">
        <Field
          label={t("events.prefix")}
          type="search"
          value={prefix}
          onInput={(value) => setQuery({ prefix: value })}
        />
        <Select
          label={t("events.order")}
          value={isByName ? "name" : "count"}
          options={[
            { value: "count", text: t("events.order.count") },
            { value: "name", text: t("events.order.name") },
          ]}
          onChange={(value) => setQuery({ order: value === "name" ? value : "" })}
        />
      </search>
      <Loaded data={pages.rows} fault={pages.fault} onRetry={pages.reload}>
        {(rows) =>
          rows.length === 0 && prefix === "" ? (
            <NoEvents projectId={projectId} />
          ) : (
            <>
              <Table
                caption={t("events.tab.catalogue")}
                columns={columnsOf(project)}
                rows={rows}
                keyOf={({ name }) => name}
              />
              <Pager pages={pages} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function columnsOf({ projectId }: Project): readonly Column<Event>[] {
  const number = (name: "count" | "propertyCount"): Column<Event> => ({
    name,
    title: t(`events.${name}`),
    isNumber: true,
    cell: (event) => formatNumber(event[name]),
  });
  return [
    {
      name: "name",
      title: t("events.event"),
      isHeading: true,
      cell: ({ name }) => <a href={hrefOf(["events", name], { project: String(projectId) })}>{name}</a>,
    },
    number("count"),
    { name: "first", title: t("events.firstDay"), cell: ({ firstDay }) => firstDay },
    { name: "last", title: t("events.lastDay"), cell: ({ lastDay }) => lastDay },
    number("propertyCount"),
  ];
}
