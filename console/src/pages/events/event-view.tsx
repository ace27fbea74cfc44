import { useSignal } from "@preact/signals";
import {
  Catalog,
  type EventProperty,
  type Project,
  PropertyTable,
  type PropertyType,
  type PropertyValue,
} from "../../../../gen/engage/analysis/v1/catalog_pb.ts";
import { Button } from "../../controls/button.tsx";
import { Card } from "../../controls/card.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import { hrefOf } from "../../router/router.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { clientOf } from "../../rpc/transport.ts";
import { formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";

const client = clientOf(Catalog);
const valuesPerProperty = 20;

interface EventViewProps {
  readonly project: Project;
  readonly event: string;
}

const typeNames = ["unknown", "number", "text", "time", "boolean", "list", "object", "objectGroup"] as const;

function typeText(type: PropertyType): string {
  return t(`events.type.${typeNames[type] ?? "unknown"}`);
}

/** One event with its properties and their most frequent values. */
export function EventView({ project, event }: EventViewProps) {
  const { projectId } = project;
  const chosen = useSignal<string | undefined>(undefined);
  const { data, fault, reload } = useLoaded(`${projectId} ${event}`, (signal) =>
    client.getEvent({ projectId, event }, { signal }),
  );
  const columns: readonly Column<EventProperty>[] = [
    { name: "name", title: t("events.property"), isHeading: true, cell: ({ name }) => name },
    { name: "display", title: t("events.displayName"), cell: ({ displayName }) => displayName },
    { name: "type", title: t("events.type"), cell: ({ type }) => typeText(type) },
    { name: "count", title: t("events.count"), isNumber: true, cell: ({ count }) => formatNumber(count) },
    {
      name: "values",
      title: t("events.values"),
      cell: ({ name }) => (
        <Button
          kind="quiet"
          label={t("events.values.of", { property: name })}
          isPressed={chosen.value === name}
          onClick={() => {
            chosen.value = chosen.value === name ? undefined : name;
          }}
        >
          {t("events.values.show")}
        </Button>
      ),
    },
  ];
  return (
    <>
      <p>
        <a href={hrefOf(["events"], { project: String(projectId) })}>{t("events.back")}</a>
      </p>
      <Loaded data={data?.event} fault={fault} onRetry={reload}>
        {(found) => (
          <>
            <p>
              {t("events.summary", {
                count: formatNumber(found.count),
                first: found.firstDay,
                last: found.lastDay,
                zone: project.zone,
              })}
            </p>
            <p>
              <a class="button" href={hrefOf(["query"], { project: String(projectId), event })}>
                {t("import.chart")}
              </a>
            </p>
            <Card title={t("events.properties")}>
              <Table
                caption={t("events.properties")}
                columns={columns}
                rows={found.properties}
                keyOf={({ name }) => name}
              />
            </Card>
            {chosen.value !== undefined && (
              <PropertyValues project={project} event={event} property={chosen.value} />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function PropertyValues({ project, event, property }: EventViewProps & { readonly property: string }) {
  const { projectId } = project;
  const { data, fault, reload } = useLoaded(`${projectId} ${event} ${property}`, (signal) =>
    client.listPropertyValues(
      { projectId, event, property, table: PropertyTable.EVENT, pageSize: valuesPerProperty },
      { signal },
    ),
  );
  const title = t("events.values.of", { property });
  const columns: readonly Column<PropertyValue>[] = [
    { name: "value", title: t("events.value"), isHeading: true, cell: ({ value }) => value },
    { name: "count", title: t("events.count"), isNumber: true, cell: ({ count }) => formatNumber(count) },
    {
      name: "share",
      title: t("events.share"),
      isNumber: true,
      cell: ({ share }) => formatNumber(share, { style: "percent", maximumFractionDigits: 1 }),
    },
  ];
  return (
    <Card title={title}>
      <Loaded data={data} fault={fault} onRetry={reload}>
        {({ values }) => (
          <Table caption={title} columns={columns} rows={values} keyOf={({ value }) => value} />
        )}
      </Loaded>
    </Card>
  );
}
