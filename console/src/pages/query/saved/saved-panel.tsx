import { type Signal, useSignal } from "@preact/signals";
import type { SavedQuery } from "../../../../../gen/engage/analysis/v1/saved_queries_pb.ts";
import { mayWrite } from "../../../app/session.ts";
import { Badge } from "../../../controls/badge.tsx";
import { Button } from "../../../controls/button.tsx";
import { FaultNote } from "../../../controls/fault-note.tsx";
import type { JsonTree } from "../../../controls/json-tree.ts";
import { t } from "../../../texts/texts.ts";
import { differs } from "./differs.ts";
import { RemoveDialog, TitleDialog } from "./saved-dialogs.tsx";
import { SavedList } from "./saved-list.tsx";
import { type SavedState, useSaved } from "./saved-state.ts";

interface SavedPanelProps {
  readonly projectId: bigint;
  /** The request of the form. */
  readonly tree: JsonTree;
  readonly query: ReadonlyMap<string, string>;
  readonly onOpen: (tree: JsonTree) => void;
}

type Asked = { readonly kind: "saveAs" } | { readonly kind: "rename" | "remove"; readonly query: SavedQuery };

/** The saved queries of a project: which one is open, and what can be done with it and the others. */
export function SavedPanel({ projectId, tree, query, onOpen }: SavedPanelProps) {
  const saved = useSaved(projectId, query, onOpen);
  const asked = useSignal<Asked | undefined>(undefined);
  const isListOpen = useSignal(false);
  const { value: fault } = saved.fault;
  const ask = (next: Asked): void => {
    saved.fault.value = undefined;
    asked.value = next;
  };
  return (
    <section class="query-saved card" aria-label={t("query.saved")}>
      <div class="row">
        <Present saved={saved} tree={tree} />
        {mayWrite.value && <Button onClick={() => ask({ kind: "saveAs" })}>{t("query.saved.saveAs")}</Button>}
      </div>
      {fault !== undefined && asked.value === undefined && <FaultNote fault={fault} />}
      <details
        onToggle={({ currentTarget }) => {
          isListOpen.value = currentTarget.open;
        }}
      >
        <summary>{t("query.saved")}</summary>
        {isListOpen.value && (
          <SavedList
            projectId={projectId}
            changes={saved.changes.value}
            onOpen={({ queryId }) => void saved.open(queryId)}
            onRename={(one) => ask({ kind: "rename", query: one })}
            onRemove={(one) => ask({ kind: "remove", query: one })}
          />
        )}
      </details>
      <AskedDialog asked={asked} saved={saved} tree={tree} />
    </section>
  );
}

interface PartProps {
  readonly saved: SavedState;
  readonly tree: JsonTree;
}

/** The open query, and the button that saves its changes. */
function Present({ saved, tree }: PartProps) {
  const { value: present } = saved.present;
  if (present === undefined) return <span class="muted">{t("query.saved.none")}</span>;
  const isChanged = differs(tree, present.requestJson);
  return (
    <>
      <strong>{present.name}</strong>
      {isChanged && <Badge tone="warn">{t("query.saved.changed")}</Badge>}
      {isChanged && (
        <Button onClick={() => void saved.open(present.queryId)}>{t("query.saved.reset")}</Button>
      )}
      {isChanged && mayWrite.value && (
        <Button kind="main" onClick={() => void saved.save(tree)}>
          {t("query.saved.save")}
        </Button>
      )}
    </>
  );
}

/** The dialog of what was asked for. It closes once that is done. */
function AskedDialog({ asked, saved, tree }: PartProps & { readonly asked: Signal<Asked | undefined> }) {
  const close = (): void => {
    saved.fault.value = undefined;
    asked.value = undefined;
  };
  const closeAfter = async (done: Promise<boolean>): Promise<void> => {
    if (await done) close();
  };
  const { value: now } = asked;
  const shared = { fault: saved.fault.value, onClose: close };
  if (now === undefined) return null;
  if (now.kind === "remove") {
    return (
      <RemoveDialog {...shared} query={now.query} onDone={() => void closeAfter(saved.remove(now.query))} />
    );
  }
  if (now.kind === "rename") {
    return (
      <TitleDialog
        {...shared}
        title={t("query.saved.rename.title")}
        action={t("query.saved.rename")}
        given={now.query}
        onDone={(title) => void closeAfter(saved.rename(now.query, title))}
      />
    );
  }
  return (
    <TitleDialog
      {...shared}
      title={t("query.saved.saveAs.title")}
      action={t("query.saved.save")}
      given={{ name: "", description: "" }}
      onDone={(title) => void closeAfter(saved.saveAs(tree, title))}
    />
  );
}
