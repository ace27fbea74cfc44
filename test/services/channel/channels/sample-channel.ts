import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type Channel, ChannelSchema, InputMethod } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import type { Projects } from "../../../../services/channel/ports.ts";

export const projects: Projects = {
  zoneOf: (projectId) => (projectId === 1n ? "Europe/Berlin" : undefined),
  ids: [1],
};

export type ChannelInit = Exclude<MessageInitShape<typeof ChannelSchema>, Channel>;

/** A channel with everything a channel can have, all of it valid. */
export function channelOf(changes: ChannelInit = {}): Channel {
  return create(ChannelSchema, {
    name: "Game mail",
    projectId: 1n,
    url: "https://push.example.com/mail?game=1",
    pushIdProperty: "#account_id",
    customHeaders: [
      { name: "Authorization", value: "Bearer abc" },
      { name: "X-Game", value: "one" },
    ],
    authentication: { secret: "a secret", headerName: "X-SVC-OPS-Signature" },
    funnel: { stepEvents: ["mail_shown"], clickEvent: "mail_opened", conversionEvents: ["pay"] },
    contentTemplate: [
      { name: "title", inputMethod: InputMethod.TEXT, required: true },
      { name: "text", inputMethod: InputMethod.DYNAMIC_TEXT, defaultValue: "Hello {nick_name}" },
      { name: "amount", inputMethod: InputMethod.NUMBER, defaultValue: "-1.50" },
      { name: "kind", inputMethod: InputMethod.DROPDOWN, options: ["a", "b"], defaultValue: "b" },
      { name: "day", inputMethod: InputMethod.DATE, defaultValue: "2024-02-29" },
      { name: "until", inputMethod: InputMethod.TIME, defaultValue: "2024-02-29 23:59:59" },
      {
        name: "items",
        inputMethod: InputMethod.ARRAY_ROW,
        columns: ["id", "count"],
        defaultRows: { rows: [{ cells: { id: "7" } }] },
      },
    ],
    customParameters: [{ name: "level", property: "level", defaultValue: "1" }],
    delivery: { rateLimit: 100, batchSize: 500, timeoutSeconds: 0, retries: 10, retryIntervalSeconds: 600 },
    ...changes,
  });
}
