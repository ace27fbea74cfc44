import { Catalog, type Project } from "../../../../gen/engage/analysis/v1/catalog_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { NoProject } from "../../controls/first-data.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { ProjectChoice } from "../../controls/project-choice.tsx";
import { Tabs } from "../../controls/tabs.tsx";
import { setQuery } from "../../router/router.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { clientOf } from "../../rpc/transport.ts";
import { t } from "../../texts/texts.ts";
import { EventList } from "./event-list.tsx";
import { EventView } from "./event-view.tsx";
import { ImportForm } from "./import/import.tsx";
import { RecordTail } from "./record-tail.tsx";
import { SendForm } from "./send-form.tsx";
import "./events.css";

const client = clientOf(Catalog);

/** What a project has collected, what comes in now, and a form to send a record. */
export function EventsPage({ rest, query }: PageProps) {
  const { data, fault, reload } = useLoaded("projects", (signal) => client.listProjects({}, { signal }));
  return (
    <>
      <PageHead title={rest[0] ?? t("events.title")} lead={t("events.lead")} />
      <Loaded data={data} fault={fault} onRetry={reload}>
        {({ projects }) => <Projects projects={projects} rest={rest} query={query} />}
      </Loaded>
    </>
  );
}

function Projects({ projects, rest, query }: PageProps & { readonly projects: readonly Project[] }) {
  const project = projects.find(({ projectId }) => String(projectId) === query.get("project")) ?? projects[0];
  if (project === undefined) return <NoProject />;
  return (
    <>
      <ProjectChoice
        projects={projects}
        projectId={project.projectId}
        onChange={(id) => setQuery({ project: id })}
      />
      {rest[0] === undefined ? (
        <Overview project={project} query={query} />
      ) : (
        <EventView project={project} event={rest[0]} />
      )}
    </>
  );
}

function Overview({ project, query }: Pick<PageProps, "query"> & { readonly project: Project }) {
  const tabs = [
    {
      name: "catalogue",
      title: t("events.tab.catalogue"),
      content: () => <EventList project={project} query={query} />,
    },
    {
      name: "live",
      title: t("events.tab.live"),
      content: () => <RecordTail project={project} query={query} />,
    },
    { name: "import", title: t("import.tab"), content: () => <ImportForm project={project} /> },
    { name: "send", title: t("events.tab.send"), content: () => <SendForm project={project} /> },
  ];
  return (
    <Tabs
      label={t("events.title")}
      tabs={tabs}
      open={query.get("show") ?? ""}
      onOpen={(name) => setQuery({ show: name === "catalogue" ? "" : name })}
    />
  );
}
