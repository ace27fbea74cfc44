import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { EventQuerySchema } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { FaultNote } from "../../controls/fault-note.tsx";
import type { JsonTree } from "../../controls/json-tree.ts";
import { Tabs } from "../../controls/tabs.tsx";
import { FilterList } from "../../filters/filters.tsx";
import { type ReadFault, type ReadMessage, readMessage } from "../../filters/read-message.ts";
import { isTooLargeForForm } from "../../filters/tree.ts";
import { setQuery } from "../../router/router.ts";
import { t } from "../../texts/texts.ts";
import type { LinkedQuery } from "./data/link.ts";
import type { Names } from "./data/names.ts";
import { createRunner, type FailedRun } from "./data/runner.ts";
import { GroupForm } from "./form/group-form.tsx";
import { MetricsForm } from "./form/metric-form.tsx";
import { MoreForm } from "./form/more-form.tsx";
import type { QueryForm } from "./form/query-form.ts";
import { RangeForm } from "./form/range-form.tsx";
import { Copies } from "./json/copies.tsx";
import { JsonEditor } from "./json/json-editor.tsx";
import { openFields } from "./state/edits.ts";
import { FormJump, ResultJump } from "./view/result-jump.tsx";
import { ResultView } from "./view/result-view.tsx";
import { RunBar } from "./view/run-bar.tsx";

interface QueryBuilderProps extends Pick<PageProps, "query"> {
  readonly tree: JsonTree;
  readonly projectId: bigint;
  readonly names: Names;
  readonly linked: LinkedQuery;
}

/** A query runs after this pause in its changes. */
const pauseMs = 600;
/** Faults of a JSON that are shown; the others appear when these are mended. */
const maxShownFaults = 20;

/** The form of a query beside its result. */
export function QueryBuilder({ tree, projectId, names, linked, query }: QueryBuilderProps) {
  const runner = useMemo(createRunner, []);
  const isAutomatic = useSignal(true);
  const read = useMemo(() => readMessage(EventQuerySchema, tree), [tree]);
  const isOpen = useMemo(() => openFields(tree).length > 0, [tree]);
  const mayRun = read.faults.length === 0 && !isOpen;
  const run = (): void => runner.start(tree, read.message);
  const result = useRef<HTMLElement>(null);
  /** Moves the reader to the result, which is that of the query as it is now. */
  const showResult = (): void => {
    const isPresent = runner.startedMs.peek() !== undefined || runner.run.peek()?.tree === tree;
    if (mayRun && !isPresent) run();
    result.current?.focus();
    result.current?.scrollIntoView();
  };
  useEffect(() => runner.cancel, [runner]);
  useEffect(() => {
    if (!isAutomatic.value || !mayRun) return;
    const timer = setTimeout(run, runner.run.peek() === undefined ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [tree, isAutomatic.value]);
  // The faults of an earlier query are not those of this one.
  const failed = runner.failed.value?.tree === tree ? runner.failed.value : undefined;
  const shown = runner.run.value;
  const isStale = shown !== undefined && shown.tree !== tree && !(isAutomatic.value && mayRun);
  const form: QueryForm = {
    tree,
    projectId,
    names,
    tables: ["event", "user", "cluster"],
    change: linked.change,
    errorAt: (path) => errorAt(path, read.faults, failed),
  };
  const lack = isOpen ? t("query.lack.open") : mayRun ? undefined : t("query.lack.fault");
  return (
    <div class="query-page">
      <EditTabs form={form} read={read} open={query.get("edit") ?? ""} />
      <ResultJump onShow={showResult} />
      <section ref={result} class="query-main" aria-label={t("query.result")} tabIndex={-1}>
        <FormJump />
        <RunBar
          runner={runner}
          isAutomatic={isAutomatic.value}
          onAutomatic={(isOn) => {
            isAutomatic.value = isOn;
          }}
          onRun={mayRun ? run : undefined}
          lack={lack}
        />
        {failed !== undefined && <FaultNote fault={failed.fault} onRetry={run} />}
        {isStale && <p class="note warn">{t("query.stale")}</p>}
        {shown !== undefined && (
          <ResultView
            run={shown}
            view={query.get("view") ?? ""}
            onView={(name) => setQuery({ view: name === "lines" ? "" : name })}
          />
        )}
      </section>
    </div>
  );
}

interface EditTabsProps {
  readonly form: QueryForm;
  readonly read: ReadMessage<typeof EventQuerySchema>;
  readonly open: string;
}

/** The query as a form, as JSON, and for other programs. */
function EditTabs({ form, read, open }: EditTabsProps) {
  return (
    <Tabs
      label={t("query.edit")}
      open={open}
      onOpen={(name) => setQuery({ edit: name === "form" ? "" : name })}
      tabs={[
        { name: "form", title: t("query.tab.form"), content: () => <FormView form={form} /> },
        {
          name: "json",
          title: t("query.tab.json"),
          content: () => (
            <JsonEditor
              tree={form.tree}
              onChange={form.change}
              faults={read.faults.slice(0, maxShownFaults).map(describeFault)}
              ignored={read.ignored.slice(0, maxShownFaults)}
            />
          ),
        },
        {
          name: "copies",
          title: t("query.tab.copies"),
          content: () => <Copies tree={form.tree} query={read.message} />,
        },
      ]}
    />
  );
}

function FormView({ form }: { readonly form: QueryForm }) {
  if (isTooLargeForForm(form.tree)) return <p class="note warn">{t("query.tooLarge")}</p>;
  return (
    <div class="query-form">
      <RangeForm form={form} />
      <MetricsForm form={form} />
      <fieldset class="query-part">
        <legend>{t("query.filters")}</legend>
        <FilterList form={form} owner={["eventView"]} event="" />
      </fieldset>
      <GroupForm form={form} />
      <MoreForm form={form} />
    </div>
  );
}

function errorAt(
  path: string,
  faults: readonly ReadFault[],
  failed: FailedRun | undefined,
): string | undefined {
  const own = faults.find(({ field }) => field === path);
  if (own !== undefined) return describeFault(own);
  return failed?.fields.find(({ field }) => field === path)?.description;
}

/** Says what is wrong with a member of the JSON. */
function describeFault({ field, rule, value, valid }: ReadFault): string {
  return t(`query.rule.${rule}`, { field, value, valid: valid.join(", ") } as never);
}
