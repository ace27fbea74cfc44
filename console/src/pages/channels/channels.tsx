import { ChannelSender } from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { Loaded } from "../../controls/loaded.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { hrefOf } from "../../router/router.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { clientOf } from "../../rpc/transport.ts";
import { t } from "../../texts/texts.ts";
import { ChannelEditor } from "./channel-editor.tsx";
import { ChannelList } from "./channel-list.tsx";
import "./channels.css";

const client = clientOf(ChannelSender);

/** The push channels: a list, and each as a page with its form and its test. */
export function ChannelsPage({ rest: [channelId], query }: PageProps) {
  if (channelId === undefined) {
    return (
      <>
        <PageHead title={t("channels.title")} lead={t("channels.lead")} />
        <ChannelList client={client} query={query} />
      </>
    );
  }
  return (
    <>
      {channelId === "new" ? (
        <>
          <PageHead title={t("channels.new")} lead={t("channels.new.lead")} />
          <BackLink />
          <ChannelEditor key="new" client={client} stored={undefined} />
        </>
      ) : (
        <ChannelView key={channelId} channelId={channelId} />
      )}
    </>
  );
}

function BackLink() {
  return (
    <p>
      <a href={hrefOf(["channels"])}>{t("channels.back")}</a>
    </p>
  );
}

function ChannelView({ channelId }: { readonly channelId: string }) {
  const { data, fault, reload } = useLoaded(channelId, (signal) =>
    client.getChannel({ channelId }, { signal }),
  );
  const channel = data?.channel;
  return (
    <>
      <PageHead title={channel?.name ?? channelId} />
      <BackLink />
      <p>
        <a href={hrefOf(["tasks"], { channel: channelId })}>{t("channels.tasks")}</a>
      </p>
      <Loaded data={channel} fault={fault} onRetry={reload}>
        {(stored) => <ChannelEditor key={stored.etag} client={client} stored={stored} />}
      </Loaded>
    </>
  );
}
