import { type ExplainRequest, Framing } from "../../../../gen/engage/parser/v1/parser_explainer_pb.ts";

/** Where the formats come from. */
export const formatSources = ["index", "name", "inline"] as const;
export type FormatSource = (typeof formatSources)[number];

/** What the form holds besides the content. */
export interface Settings {
  readonly framing: "" | "items" | "lines" | "none";
  readonly index: string;
  readonly source: FormatSource;
  readonly format: string;
  readonly inline: string;
}

export const framings = {
  "": Framing.UNSPECIFIED,
  items: Framing.ITEMS,
  lines: Framing.LINES,
  none: Framing.NONE,
} as const;

/** Reads settings from the query of the URL; words that are not known count as absent. */
export function settingsOf(query: ReadonlyMap<string, string>): Settings {
  const [framing = "", source = ""] = [query.get("framing"), query.get("formats")];
  return {
    framing: Object.hasOwn(framings, framing) ? (framing as Settings["framing"]) : "",
    index: query.get("index") ?? "",
    source: formatSources.find((one) => one === source) ?? "index",
    format: query.get("format") ?? "",
    inline: query.get("inline") ?? "",
  };
}

type Formats = ExplainRequest["formats"];

/** Returns the request of a content under these settings. */
export function requestOf(content: Uint8Array<ArrayBuffer>, settings: Settings) {
  return {
    content,
    framing: framings[settings.framing],
    index: settings.index,
    formats: formatsOf(settings),
  };
}

function formatsOf({ source, format, inline }: Settings): Formats {
  if (source === "name") return { case: "format", value: format };
  if (source === "inline") return { case: "inlineFormats", value: inline };
  return { case: undefined };
}

/** Lines of an access log, of which one is broken, and a format for them, to begin with. */
export const example = {
  content: `203.0.113.9 - ann [29/Nov/2026:10:00:00 +0000] "GET /shop?item=7 HTTP/1.1" 200 512
this line is broken
`,
  settings: {
    framing: "lines",
    index: "access.log",
    source: "inline",
    format: "",
    inline: `- name: access
  index: access.log
  type: access_log
  mapping:
    "#type": { value: track }
    "#event_name": { value: http_request }
    "#account_id": remote_user
    "#ip": remote_addr
    "#time": { from: time_local, type: time, format: "dd/MMM/yyyy:HH:mm:ss Z" }
`,
  },
} as const satisfies { readonly content: string; readonly settings: Settings };
