import type { ComponentType } from "preact";
import type { TextKey } from "../texts/catalogue.ts";
import type { IconName } from "./icon.tsx";
import type { PageProps } from "./page-props.ts";

export interface PageEntry {
  /** The first segment of its path; empty for the page at the start. */
  readonly path: string;
  readonly title: TextKey;
  readonly group: "traffic" | "analysis" | "push" | "server";
  readonly icon: IconName;
  /** Loads the code of the page when it is first opened. */
  readonly load: () => Promise<ComponentType<PageProps>>;
}

/** The pages in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  {
    path: "",
    title: "overview.title",
    group: "traffic",
    icon: "overview",
    load: async () => (await import("../pages/overview/overview.tsx")).OverviewPage,
  },
  {
    path: "deliveries",
    title: "deliveries.title",
    group: "traffic",
    icon: "deliveries",
    load: async () => (await import("../pages/deliveries/deliveries.tsx")).DeliveriesPage,
  },
  {
    path: "dead-letters",
    title: "deadLetters.title",
    group: "traffic",
    icon: "deadLetters",
    load: async () => (await import("../pages/dead-letters/dead-letters.tsx")).DeadLettersPage,
  },
  {
    path: "events",
    title: "events.title",
    group: "traffic",
    icon: "events",
    load: async () => (await import("../pages/events/events.tsx")).EventsPage,
  },
  {
    path: "parser",
    title: "parser.title",
    group: "traffic",
    icon: "parser",
    load: async () => (await import("../pages/parser/parser.tsx")).ParserPage,
  },
  {
    path: "query",
    title: "query.title",
    group: "analysis",
    icon: "query",
    load: async () => (await import("../pages/query/query.tsx")).QueryPage,
  },
  {
    path: "channels",
    title: "channels.title",
    group: "push",
    icon: "channels",
    load: async () => (await import("../pages/channels/channels.tsx")).ChannelsPage,
  },
  {
    path: "tasks",
    title: "tasks.title",
    group: "push",
    icon: "tasks",
    load: async () => (await import("../pages/tasks/tasks.tsx")).TasksPage,
  },
  {
    path: "receivers",
    title: "receivers.title",
    group: "push",
    icon: "receivers",
    load: async () => (await import("../pages/receivers/receivers.tsx")).ReceiversPage,
  },
  {
    path: "settings",
    title: "settings.title",
    group: "server",
    icon: "settings",
    load: async () => (await import("../pages/settings/settings.tsx")).SettingsPage,
  },
];

/** Returns the page of a path with the segments after its name, or undefined for an unknown path. */
export function findPage(path: readonly string[]): { page: PageEntry; rest: readonly string[] } | undefined {
  const [name = "", ...rest] = path;
  const page = pages.find((one) => one.path === name);
  return page && { page, rest };
}
