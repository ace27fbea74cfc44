import type { Client } from "@connectrpc/connect";
import type {
  CertificateInfo,
  KeyInfo,
  Settings,
  TokenInfo,
} from "../../../../gen/engage/operations/v1/settings_pb.ts";
import { Badge } from "../../controls/badge.tsx";
import { Card } from "../../controls/card.tsx";
import { Empty } from "../../controls/empty.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { type Column, Pager, Table } from "../../controls/table.tsx";
import { type KeysetPages, useKeysetPages } from "../../rpc/pages.ts";
import { formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";

type SettingsClient = Client<typeof Settings>;

/** Keys, certificates and query tokens by name: none of their secrets leaves the server. */
export function KeysView({ client }: { readonly client: SettingsClient }) {
  return (
    <div class="settings-parts">
      <KeyList client={client} />
      <TokenList client={client} />
    </div>
  );
}

type Entry = { readonly key: KeyInfo } | { readonly certificate: CertificateInfo };

function KeyList({ client }: { readonly client: SettingsClient }) {
  const pages = useKeysetPages<Entry>("keys", async (pageToken, signal) => {
    const { keys, certificates, nextPageToken } = await client.listKeys({ pageToken }, { signal });
    const rows = [...keys.map((key) => ({ key })), ...certificates.map((certificate) => ({ certificate }))];
    return { rows, nextToken: nextPageToken };
  });
  const columns: readonly Column<Entry>[] = [
    { name: "name", title: t("settings.name"), isHeading: true, cell: nameOf },
    {
      name: "kind",
      title: t("settings.kind"),
      cell: (entry) => t("key" in entry ? "settings.kind.key" : "settings.kind.certificate"),
    },
    { name: "methods", title: t("settings.methods"), cell: (entry) => methodsOf(entry).join(", ") },
    {
      name: "access",
      title: t("settings.access"),
      cell: (entry) =>
        t("key" in entry && entry.key.readOnly ? "settings.access.read" : "settings.access.write"),
    },
  ];
  return (
    <ListCard
      title={t("settings.keys")}
      pages={pages}
      columns={columns}
      keyOf={nameOf}
      empty={t("settings.keys.none")}
      command="npx engage-server key create NAME"
    />
  );
}

function nameOf(entry: Entry): string {
  return "key" in entry ? entry.key.name : entry.certificate.subject;
}

function methodsOf(entry: Entry): readonly string[] {
  return "key" in entry ? entry.key.methods : entry.certificate.methods;
}

function TokenList({ client }: { readonly client: SettingsClient }) {
  const pages = useKeysetPages<TokenInfo>("tokens", async (pageToken, signal) => {
    const { tokens, nextPageToken } = await client.listTokens({ pageToken }, { signal });
    return { rows: tokens, nextToken: nextPageToken };
  });
  const columns: readonly Column<TokenInfo>[] = [
    { name: "name", title: t("settings.name"), isHeading: true, cell: ({ name }) => name },
    {
      name: "projects",
      title: t("settings.projects"),
      cell: ({ allProjects, projectIds }) =>
        allProjects ? t("settings.projects.all") : projectIds.join(", "),
    },
    {
      name: "rate",
      title: t("settings.rate"),
      cell: ({ perSecond }) => (perSecond > 0 ? formatNumber(perSecond) : ""),
    },
    {
      name: "origin",
      title: t("settings.source"),
      cell: ({ isConfigured }) => (
        <Badge tone="plain">{t(isConfigured ? "settings.token.configured" : "settings.token.created")}</Badge>
      ),
    },
  ];
  return (
    <ListCard
      title={t("settings.tokens")}
      pages={pages}
      columns={columns}
      keyOf={({ name, isConfigured }) => `${name} ${isConfigured}`}
      empty={t("settings.tokens.none")}
      command="npx engage-server token create NAME --project 1"
    />
  );
}

interface ListCardProps<Row> {
  readonly title: string;
  readonly pages: KeysetPages<Row>;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly empty: string;
  /** Makes the first one. */
  readonly command: string;
}

function ListCard<Row>({ title, pages, columns, keyOf, empty, command }: ListCardProps<Row>) {
  return (
    <Card title={title}>
      <Loaded data={pages.rows} fault={pages.fault} onRetry={pages.reload}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={empty} command={command} />
          ) : (
            <>
              <Table caption={title} columns={columns} rows={rows} keyOf={keyOf} />
              {(pages.hasNext || pages.hasPrevious) && <Pager pages={pages} />}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
