import { useSignal } from "@preact/signals";
import type { DeadLetterKindSummary } from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { Empty } from "../../controls/empty.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { Tabs } from "../../controls/tabs.tsx";
import { setQuery } from "../../router/router.ts";
import { useLive } from "../../rpc/live.ts";
import { serverUrl } from "../../rpc/transport.ts";
import { t } from "../../texts/texts.ts";
import { client } from "./client.ts";
import { isFiltered, noFilters, readFilters } from "./filters.ts";
import { kindNames, kinds } from "./kinds.ts";
import { LetterList } from "./letter-list.tsx";
import { LetterPage } from "./letter-page.tsx";
import { countText, ReasonList } from "./reason-list.tsx";
import "./dead-letters.css";

/** What was refused or given up, by kind and reason. */
export function DeadLettersPage({ rest, query }: PageProps) {
  return rest[0] === undefined ? <Overview query={query} /> : <LetterPage id={rest[0]} />;
}

/** Counts follow what happens; lists stay until they are asked for again, so that nothing moves while it is read. */
function Overview({ query }: Pick<PageProps, "query">) {
  const live = useLive("kinds", (signal) => client.listKinds({}, { signal }));
  const version = useSignal(0);
  const change = (): void => {
    version.value++;
    live.refresh();
  };
  return (
    <>
      <PageHead title={t("deadLetters.title")} lead={t("deadLetters.lead")} />
      <Loaded data={live.data.value} fault={live.fault.value} onRetry={live.refresh}>
        {({ kinds: summaries }) => (
          <Kinds summaries={summaries} query={query} version={version.value} onChanged={change} />
        )}
      </Loaded>
    </>
  );
}

interface KindsProps extends Pick<PageProps, "query"> {
  readonly summaries: readonly DeadLetterKindSummary[];
  readonly version: number;
  readonly onChanged: () => void;
}

function Kinds({ summaries, query, version, onChanged }: KindsProps) {
  const filters = readFilters(query);
  const tabs = kindNames.map((name) => {
    const summary = summaries.find(({ kind }) => kind === kinds[name]);
    return {
      name,
      title: t("deadLetters.tab", { kind: t(`deadLetters.kinds.${name}`), count: countOf(summary) }),
      content: () => <Kind summary={summary} filters={filters} version={version} onChanged={onChanged} />,
    };
  });
  return (
    <Tabs
      label={t("deadLetters.title")}
      tabs={tabs}
      open={filters.kind}
      onOpen={(name) => setQuery({ ...noFilters, kind: name === "webhook" ? "" : name })}
    />
  );
}

function countOf(summary: DeadLetterKindSummary | undefined): string {
  return summary === undefined ? "" : countText(summary.count, summary.complete);
}

interface KindProps {
  readonly summary: DeadLetterKindSummary | undefined;
  readonly filters: ReturnType<typeof readFilters>;
  readonly version: number;
  readonly onChanged: () => void;
}

function Kind({ summary, filters, version, onChanged }: KindProps) {
  const { kind } = filters;
  const obstacle = summary?.replayObstacle ?? "";
  if (summary?.count === 0n && summary.complete && !isFiltered(filters) && version === 0) {
    const command = `curl '${serverUrl}/v1/dead-letters?filter.kind=DEAD_LETTER_KIND_${kind.toUpperCase()}'`;
    return (
      <Empty title={t(`deadLetters.empty.${kind}`)} command={command}>
        <p>{t("deadLetters.empty.do")}</p>
      </Empty>
    );
  }
  return (
    <div class="dead-letters-parts">
      {obstacle !== "" && <p class="note warn">{t("deadLetters.obstacle", { reason: obstacle })}</p>}
      <ReasonList kind={kind} version={version} />
      <LetterList filters={filters} obstacle={obstacle} version={version} onChanged={onChanged} />
    </div>
  );
}
