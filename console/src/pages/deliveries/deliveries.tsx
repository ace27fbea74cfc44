import type { PageProps } from "../../app/page-props.ts";
import { PageHead } from "../../controls/page-head.tsx";
import { Tabs } from "../../controls/tabs.tsx";
import { setQuery } from "../../router/router.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { t } from "../../texts/texts.ts";
import { BatchList } from "./batch-list.tsx";
import { BatchPage } from "./batch-page.tsx";
import { client } from "./client.ts";
import { DeliveryList } from "./delivery-list.tsx";
import { DeliveryPage } from "./delivery-page.tsx";
import { DeliveryTail } from "./delivery-tail.tsx";
import type { Names } from "./filter-form.tsx";
import { RefusalList } from "./refusal-list.tsx";
import "./deliveries.css";

/** Messages of webhook channels: lists of them, what comes in now, and one delivery or batch as a page. */
export function DeliveriesPage({ rest, query }: PageProps) {
  const [kind, id] = rest;
  if (kind === "delivery" && id !== undefined) return <DeliveryPage key={id} deliveryId={id} />;
  if (kind === "batch" && id !== undefined) return <BatchPage key={id} batchId={id} />;
  return <Lists query={query} />;
}

function Lists({ query }: Pick<PageProps, "query">) {
  // The names are only offered: lists also work while the counts cannot be read.
  const { data } = useLoaded("names", (signal) => client.getStats({}, { signal }));
  const names: Names = {
    channels: [...new Set(data?.targets.map(({ channel }) => channel))],
    targets: [...new Set(data?.targets.map(({ target }) => target))],
  };
  const tabs = [
    {
      name: "list",
      title: t("deliveries.tab.list"),
      content: () => <DeliveryList query={query} names={names} />,
    },
    {
      name: "batches",
      title: t("deliveries.tab.batches"),
      content: () => <BatchList query={query} names={names} />,
    },
    {
      name: "live",
      title: t("deliveries.tab.live"),
      content: () => <DeliveryTail query={query} names={names} />,
    },
    {
      name: "refused",
      title: t("deliveries.tab.refused"),
      content: () => <RefusalList query={query} names={names} />,
    },
  ];
  return (
    <>
      <PageHead title={t("deliveries.title")} lead={t("deliveries.lead")} />
      <Tabs
        label={t("deliveries.title")}
        tabs={tabs}
        open={query.get("show") ?? ""}
        onOpen={(name) => setQuery({ show: name === "list" ? "" : name })}
      />
    </>
  );
}
