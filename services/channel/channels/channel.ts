import { create } from "@bufbuild/protobuf";
import type { Violation } from "../../../base/rpc/invalid-fields.ts";
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
import type { Projects } from "../ports.ts";
import { checkAuthentication, checkHeaders } from "./headers.ts";
import { keepSecrets } from "./kept-secrets.ts";
import { checkDisplayName, checkProperty, violationOf } from "./names.ts";
import {
  checkDelivery,
  checkFunnel,
  defaultClickEvent,
  defaultConversionHours,
  deliveryDefaults,
} from "./settings.ts";
import { checkCustomParameters, checkTemplate } from "./template.ts";

const maxName = 100;
const maxUrl = 2_048;

/**
 * A channel as it is kept: what was left out has its default, and secrets that
 * an update keeps are those of the stored one. Id, etag and times are not in it.
 * @param stored the channel that is changed; undefined for a new one
 */
export function completeChannel(given: Channel, stored: Channel | undefined): Channel {
  const { funnel } = given;
  const { authentication, customHeaders } = keepSecrets(given, stored);
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

/** All rules of a complete channel but that its name is its own. */
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
  const valid = projects.ids.length === 0 ? "none is configured" : `valid are ${projects.ids.join(", ")}`;
  return [{ field: "project_id", problem: `${found}, ${valid}` }];
}

function checkUrl(text: string): string | undefined {
  if (text === "") return "is required";
  if (text.length > maxUrl) return `has ${text.length} characters, at most ${maxUrl} are valid`;
  const valid = 'valid is a URL such as "https://push.example.com/hook"';
  // The parser would remove spaces and line ends.
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return `is ${quoteText(text)}, ${valid}`;
  const { protocol, username, password, hash } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:")
    return `has the scheme "${protocol}", valid are http: and https:`;
  // It may hold a password, so it isn't quoted.
  if (username !== "" || password !== "")
    return "holds a name or password, give an Authorization header instead";
  return hash === "" ? undefined : `has the fragment "${hash}", which no server sees`;
}

/** As it is shown: secrets are left out, and it says that there are some. */
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
