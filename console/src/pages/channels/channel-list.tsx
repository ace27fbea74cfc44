import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import type { Channel } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import type { ChannelSender } from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { mayWrite } from "../../app/session.ts";
import { Card } from "../../controls/card.tsx";
import { Empty } from "../../controls/empty.tsx";
import { Field } from "../../controls/field.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { LongText } from "../../controls/long-text.tsx";
import { type Column, Pager, Table } from "../../controls/table.tsx";
import { Time } from "../../controls/time.tsx";
import { hrefOf, setQuery } from "../../router/router.ts";
import { useKeysetPages } from "../../rpc/pages.ts";
import { serverUrl } from "../../rpc/transport.ts";
import { t } from "../../texts/texts.ts";

const pageSize = 50;

/** Makes a channel that sends to the receiver of the demo. */
const firstChannel = `curl -H 'content-type: application/json' -d '{"name":"mail","projectId":1,"url":"${serverUrl}/webhook/demo","pushIdProperty":"#account_id","authentication":{"secret":"demo-secret"},"contentTemplate":[{"name":"title","inputMethod":"INPUT_METHOD_DYNAMIC_TEXT","required":true}]}' ${serverUrl}/v1/channels`;

interface ChannelListProps extends Pick<PageProps, "query"> {
  readonly client: Client<typeof ChannelSender>;
}

/** The channels by name. */
export function ChannelList({ client, query }: ChannelListProps) {
  const project = query.get("project") ?? "";
  const projectId = /^\d{1,18}$/.test(project) ? BigInt(project) : 0n;
  const pages = useKeysetPages<Channel>(`channels ${projectId}`, async (pageToken, signal) => {
    const { channels, nextPageToken } = await client.listChannels(
      { projectId, pageSize, pageToken },
      { signal },
    );
    return { rows: channels, nextToken: nextPageToken };
  });
  const create = mayWrite.value && (
    <a class="button main" href={hrefOf(["channels", "new"])}>
      {t("channels.new")}
    </a>
  );
  return (
    <Card title={t("channels.title")} actions={create}>
      <search class="filters">
        <Field
          label={t("channels.project")}
          type="search"
          value={project}
          onInput={(value) => setQuery({ project: value })}
        />
      </search>
      <Loaded data={pages.rows} fault={pages.fault} onRetry={pages.reload}>
        {(rows) =>
          rows.length === 0 && projectId === 0n ? (
            <Empty title={t("channels.empty")} {...(mayWrite.value && { command: firstChannel })}>
              <p>{t(mayWrite.value ? "channels.empty.do" : "channels.empty.ask")}</p>
            </Empty>
          ) : (
            <>
              <Table
                caption={t("channels.title")}
                columns={columns()}
                rows={rows}
                keyOf={({ channelId }) => channelId}
              />
              <Pager pages={pages} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function columns(): readonly Column<Channel>[] {
  return [
    {
      name: "name",
      title: t("field.Channel.name"),
      isHeading: true,
      cell: ({ name, channelId }) => <a href={hrefOf(["channels", channelId])}>{name}</a>,
    },
    { name: "id", title: t("channels.id"), cell: ({ channelId }) => <code>{channelId}</code> },
    { name: "project", title: t("channels.project"), cell: ({ projectId }) => String(projectId) },
    {
      name: "url",
      title: t("field.Channel.url"),
      cell: ({ url }) => <LongText text={url} />,
    },
    {
      name: "signed",
      title: t("channels.signature"),
      cell: ({ authentication }) =>
        t(authentication === undefined ? "channels.signed.no" : "channels.signed.yes"),
    },
    {
      name: "updated",
      title: t("channels.updated"),
      cell: ({ updateTime }) => updateTime !== undefined && <Time ms={timestampMs(updateTime)} />,
    },
  ];
}
