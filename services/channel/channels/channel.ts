import { create } from "@bufbuild/protobuf";
import { limitsOf } from "../../../base/protobuf/limits.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import { checkDisplayName } from "../../../base/text/check-text.ts";
import { bare, listKnown } from "../../../base/text/known-names.ts";
import { quoteText } from "../../../base/text/quote.ts";
import {
  type Channel,
  ChannelAuthenticationSchema,
  ChannelSchema,
  ContentFieldSchema,
  CustomHeaderSchema,
  DeliverySettingsSchema,
  FunnelSettingSchema,
} from "../../../gen/engage/channel/v1/channel_pb.ts";
import type { Projects, SenderPorts } from "../ports.ts";
import { checkAuthentication, checkHeaders } from "./headers.ts";
import { checkProperty, violationOf } from "./names.ts";
import {
  checkDelivery,
  checkFunnel,
  defaultClickEvent,
  defaultConversionHours,
  deliveryDefaults,
} from "./settings.ts";
import { resolveSecrets } from "./stored-secrets.ts";
import { checkCustomParameters, checkTemplate } from "./template.ts";

const { maxLength: maxName } = limitsOf(ChannelSchema.field.name);
const { maxLength: maxUrl } = limitsOf(ChannelSchema.field.url);

/**
 * Completes a channel for the store: omitted fields get their default, omitted secrets those of the stored channel. The
 * result has no id, etag and times.
 * @param stored the channel before the change; undefined for a new one
 */
export function completeChannel(given: Channel, stored: Channel | undefined): Channel {
  const { funnel } = given;
  const { authentication, customHeaders } = resolveSecrets(given, stored);
  return create(ChannelSchema, {
    name: given.name,
    projectId: given.projectId,
    url: given.url,
    pushIdProperty: given.pushIdProperty,
    customHeaders: customHeaders.map((header) => create(CustomHeaderSchema, header)),
    ...(authentication && {
      authentication: create(ChannelAuthenticationSchema, authentication),
    }),
    ...(funnel && {
      funnel: create(FunnelSettingSchema, {
        ...funnel,
        clickEvent: funnel.clickEvent || defaultClickEvent,
        conversionWindowHours: funnel.conversionWindowHours ?? defaultConversionHours,
      }),
    }),
    contentTemplate: given.contentTemplate.map((field) =>
      create(ContentFieldSchema, { ...field, displayName: field.displayName || field.name }),
    ),
    customParameters: given.customParameters,
    delivery: completeDelivery(given),
  });
}

function completeDelivery({ delivery }: Channel) {
  const given = Object.entries(delivery ?? {}).filter(([, value]) => value !== undefined);
  return create(DeliverySettingsSchema, { ...deliveryDefaults, ...Object.fromEntries(given) });
}

/** Checks all rules of a complete channel, except that its name is unique. */
export function checkChannel(channel: Channel, projects: Projects): readonly Violation[] {
  const { authentication, funnel, delivery } = channel;
  return [
    ...violationOf("name", checkDisplayName(channel.name, maxName)),
    ...checkProject(channel.projectId, projects),
    ...violationOf("url", checkUrl(channel.url)),
    ...violationOf("push_id_property", checkProperty(channel.pushIdProperty)),
    ...checkHeaders(channel.customHeaders, authentication?.headerName),
    ...(authentication ? checkAuthentication(authentication) : []),
    ...(funnel ? checkFunnel(funnel) : []),
    ...checkTemplate(channel.contentTemplate),
    ...checkCustomParameters(channel.customParameters),
    ...(delivery ? checkDelivery(delivery) : []),
  ];
}

export function checkProject(projectId: bigint, projects: Projects): readonly Violation[] {
  if (projects.zoneOf(projectId) !== undefined) return [];
  const found = projectId === 0n ? "is required" : `is ${projectId}`;
  const valid = listKnown(projects.ids.map(String), { write: bare, none: "none is configured" });
  return [{ field: "project_id", description: `${found}, ${valid}` }];
}

export function checkUrl(text: string): string | undefined {
  if (text === "") return "is required";
  if (text.length > maxUrl) return `has ${text.length} characters, at most ${maxUrl} are valid`;
  const valid = 'valid is a URL such as "https://push.example.com/hook"';
  // The URL parser removes spaces and line ends.
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return `is ${quoteText(text)}, ${valid}`;
  const { protocol, username, password, hash } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:")
    return `has the scheme "${protocol}", valid are http: and https:`;
  // The URL may contain a password, so it is not quoted.
  if (username !== "" || password !== "")
    return "has a user name or password, use an Authorization header instead";
  return hash === "" ? undefined : `has the fragment "${hash}", which is not sent to servers`;
}

/** Removes the secrets of a channel and sets `secret_is_set` and `value_is_set` instead. */
export function maskChannel(channel: Channel): Channel {
  const { authentication } = channel;
  return create(ChannelSchema, {
    ...channel,
    customHeaders: channel.customHeaders.map(({ name }) =>
      create(CustomHeaderSchema, { name, valueIsSet: true }),
    ),
    ...(authentication && {
      authentication: create(ChannelAuthenticationSchema, {
        headerName: authentication.headerName,
        secretIsSet: true,
      }),
    }),
  });
}

/**
 * Checks that messages may be sent to the URL of a channel. An unchanged URL gives only a warning: the outbound rules
 * may have changed, and the other settings of the channel must remain changeable.
 * @param before the channel before the change; undefined for a new one
 */
export async function checkAddress(
  { url }: Channel,
  before: Channel | undefined,
  { refusedAddress }: Pick<SenderPorts, "refusedAddress">,
  signal: AbortSignal,
): Promise<{ readonly violations: readonly Violation[]; readonly warnings: readonly string[] }> {
  const reason = await refusedAddress(url, signal);
  if (reason === undefined) return { violations: [], warnings: [] };
  if (before?.url === url) return { violations: [], warnings: [`messages cannot be sent to url: ${reason}`] };
  return { violations: [{ field: "url", description: `is refused: ${reason}` }], warnings: [] };
}
