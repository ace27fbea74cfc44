import { create } from "@bufbuild/protobuf";
import {
  type Channel,
  ChannelAuthenticationSchema,
  ChannelSchema,
  ContentFieldSchema,
  CustomHeaderSchema,
  CustomParameterSchema,
  DeliverySettingsSchema,
  FunnelSettingSchema,
  InputMethod,
} from "../../../../gen/engage/channel/v1/channel_pb.ts";
import { type Draft, draftOf, messageOf } from "../../form/draft.ts";

/** What new parts of a channel begin with. */
export const newHeader: Draft = draftOf(CustomHeaderSchema, create(CustomHeaderSchema));
export const newParameter: Draft = draftOf(CustomParameterSchema, create(CustomParameterSchema));
export const newFunnel: Draft = draftOf(FunnelSettingSchema, create(FunnelSettingSchema));
export const newSignature: Draft = draftOf(ChannelAuthenticationSchema, create(ChannelAuthenticationSchema));
export const newField: Draft = draftOf(
  ContentFieldSchema,
  create(ContentFieldSchema, { inputMethod: InputMethod.TEXT }),
);

/** What a new channel begins with: it signs its requests, and has the defaults of all settings. */
export function newChannelDraft(projectId: bigint): Draft {
  const channel = create(ChannelSchema, { projectId, authentication: {}, delivery: {} });
  return draftOf(ChannelSchema, channel);
}

export function draftOfChannel(channel: Channel): Draft {
  return draftOf(
    ChannelSchema,
    create(ChannelSchema, { ...channel, delivery: channel.delivery ?? create(DeliverySettingsSchema) }),
  );
}

/**
 * Writes a draft as the channel to save or to test.
 * @param stored the saved channel, whose secrets are kept where the draft has none; undefined for a new one
 */
export function channelOf(draft: Draft, stored: Channel | undefined): Channel {
  const channel = messageOf(ChannelSchema, draft);
  for (const field of channel.contentTemplate) clearUnused(field);
  if (stored === undefined) return channel;
  if (channel.authentication === undefined && stored.authentication !== undefined) {
    channel.authentication = create(ChannelAuthenticationSchema, { off: true });
  }
  channel.noCustomHeaders = channel.customHeaders.length === 0 && stored.customHeaders.length > 0;
  return channel;
}

/** Removes what was entered for another input method, which the form does not show any more. */
function clearUnused(field: Channel["contentTemplate"][number]): void {
  if (field.inputMethod !== InputMethod.DROPDOWN) field.options = [];
  if (field.inputMethod === InputMethod.ARRAY_ROW) {
    field.defaultValue = "";
    return;
  }
  field.columns = [];
  delete field.defaultRows;
}

/** Whether the server has the secret at a path of the channel, so that an empty one keeps it. */
export function isStoredSecret(draft: Draft, path: string): boolean {
  const { authentication, customHeaders } = draft;
  if (path === "authentication.secret") {
    return typeof authentication === "object" && (authentication as Draft)["secretIsSet"] === true;
  }
  const [, index] = /^custom_headers\[(\d+)\]\.value$/.exec(path) ?? [];
  if (index === undefined || !Array.isArray(customHeaders)) return false;
  return (customHeaders as readonly Draft[])[Number(index)]?.["valueIsSet"] === true;
}
