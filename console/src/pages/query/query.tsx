import { useEffect, useMemo } from "preact/hooks";
import { Catalog, type Project } from "../../../../gen/engage/analysis/v1/catalog_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { FaultNote } from "../../controls/fault-note.tsx";
import { NoEvents, NoProject } from "../../controls/first-data.tsx";
import type { JsonTree } from "../../controls/json-tree.ts";
import { Loaded } from "../../controls/loaded.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { ProjectChoice } from "../../controls/project-choice.tsx";
import { numberTree, textAt, withValue } from "../../filters/tree.ts";
import { setQuery } from "../../router/router.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { clientOf } from "../../rpc/transport.ts";
import { isoDayOf } from "../../texts/iso-day.ts";
import { t } from "../../texts/texts.ts";
import { type LinkedQuery, useLinkedQuery } from "./data/link.ts";
import { appearance, loadNames, type Names, noNames } from "./data/names.ts";
import { QueryBuilder } from "./query-builder.tsx";
import { SavedPanel } from "./saved/saved-panel.tsx";
import { eventQuery, firstQuery } from "./state/edits.ts";
import "./query.css";

const client = clientOf(Catalog);

/** Queries of events: a form whose state is the request, and its result. */
export function QueryPage({ query }: PageProps) {
  const { data, fault, reload } = useLoaded("projects", (signal) => client.listProjects({}, { signal }));
  const linked = useLinkedQuery(query.get("q") ?? "");
  return (
    <>
      <PageHead title={t("query.title")} lead={t("query.lead")} />
      <Loaded data={data} fault={fault} onRetry={reload}>
        {({ projects }) =>
          projects.length === 0 ? (
            <NoProject />
          ) : (
            <OfProjects projects={projects} linked={linked} query={query} />
          )
        }
      </Loaded>
    </>
  );
}

interface OfProjectsProps extends Pick<PageProps, "query"> {
  readonly projects: readonly Project[];
  readonly linked: LinkedQuery;
}

/** The project of the query, which need not be one of the catalogue. */
function projectOf(
  linked: LinkedQuery,
  query: ReadonlyMap<string, string>,
  projects: readonly Project[],
): bigint {
  const { value: tree } = linked.tree;
  const text = tree === undefined ? (query.get("project") ?? "") : textAt(tree, ["projectId"]);
  return /^[1-9]\d{0,18}$/.test(text) ? BigInt(text) : projects[0]!.projectId;
}

function OfProjects({ projects, linked, query }: OfProjectsProps) {
  const projectId = projectOf(linked, query, projects);
  const event = query.get("event") ?? "";
  const {
    data: names,
    fault,
    reload,
  } = useLoaded(String(projectId), async (signal) => {
    if (event !== "" && (query.get("q") ?? "") === "") await appearance(projectId, event, signal);
    return loadNames(projectId, signal);
  });
  const isKnown = projects.some((project) => project.projectId === projectId);
  const { value: tree } = linked.tree;
  const choose = (id: string): void => {
    if (tree === undefined) setQuery({ project: id });
    else linked.change(withValue(tree, ["projectId"], numberTree(id))!);
  };
  const first = useMemo(() => names && queryAtFirst(projectId, names, event), [projectId, names, event]);
  const shown = tree ?? first;
  // A link is read first, since its request names the project.
  const isRead = tree !== undefined || (query.get("q") ?? "") === "";
  // An upstream platform tells nothing about its events.
  const isEmpty = isKnown && names !== undefined && names !== noNames && names.events.length === 0;
  const isFirst = tree === undefined && isRead && !isEmpty && (query.get("saved") ?? "") === "";
  // A link to the first query shows the same one later, when another event is the most frequent.
  useEffect(() => {
    if (isFirst && first !== undefined) linked.change(first);
  }, [isFirst, first, linked]);
  return (
    <>
      <ProjectChoice projects={projects} projectId={projectId} onChange={choose} />
      {linked.problem.value !== undefined && (
        <p class="note warn" role="alert">
          {t(`query.link.${linked.problem.value}`)}
        </p>
      )}
      {!isEmpty && isRead && shown !== undefined && (
        <SavedPanel projectId={projectId} tree={shown} query={query} onOpen={linked.change} />
      )}
      {fault !== undefined && <FaultNote fault={fault} onRetry={reload} />}
      {isEmpty && <NoEvents projectId={projectId} />}
      {!isEmpty && isRead && shown !== undefined && names !== undefined && (
        <QueryBuilder tree={shown} projectId={projectId} names={names} linked={linked} query={query} />
      )}
    </>
  );
}

/** The query of a page without one: of the event that its link names, or else of the most frequent. */
function queryAtFirst(projectId: bigint, names: Names, linkedEvent: string): JsonTree {
  const linkedDays = names.days.get(linkedEvent);
  if (linkedDays !== undefined) return eventQuery(projectId, linkedEvent, linkedDays);
  const event = linkedEvent || (names.events[0] ?? "");
  return firstQuery(projectId, event, isoDayOf(Date.now()), names.days.get(event));
}
