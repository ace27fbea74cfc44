import { Settings } from "../../../../gen/engage/operations/v1/settings_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { PageHead } from "../../controls/page-head.tsx";
import { Tabs } from "../../controls/tabs.tsx";
import { setQuery } from "../../router/router.ts";
import { clientOf } from "../../rpc/transport.ts";
import { t } from "../../texts/texts.ts";
import { ConfigurationView } from "./configuration.tsx";
import { HealthView } from "./health.tsx";
import { KeysView } from "./keys.tsx";
import "./settings.css";

const client = clientOf(Settings);

/** The state of the server, its configuration in effect, and its keys and tokens by name. */
export function SettingsPage({ query }: PageProps) {
  const tabs = [
    { name: "health", title: t("settings.tab.health"), content: () => <HealthView client={client} /> },
    {
      name: "configuration",
      title: t("settings.tab.configuration"),
      content: () => <ConfigurationView client={client} path={query.get("path") ?? ""} />,
    },
    { name: "keys", title: t("settings.tab.keys"), content: () => <KeysView client={client} /> },
  ];
  return (
    <>
      <PageHead title={t("settings.title")} lead={t("settings.lead")} />
      <Tabs
        label={t("settings.title")}
        tabs={tabs}
        open={query.get("show") ?? ""}
        onOpen={(name) => setQuery({ show: name === "health" ? "" : name })}
      />
    </>
  );
}
