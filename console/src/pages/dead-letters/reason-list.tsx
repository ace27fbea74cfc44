import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { DeadLetter, DeadLetterReason } from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { textOf } from "../../controls/bytes/bytes.ts";
import { Card } from "../../controls/card.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { LongText } from "../../controls/long-text.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import { Time } from "../../controls/time.tsx";
import { hrefOf } from "../../router/router.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { formatNumber } from "../../texts/formats.ts";
import { t, tn } from "../../texts/texts.ts";
import { client } from "./client.ts";
import { selectReason } from "./filters.ts";
import { type KindName, kinds } from "./kinds.ts";
import { LetterLink } from "./letter-link.tsx";

export interface ReasonListProps {
  readonly kind: KindName;
  /** Changes when they may have changed. */
  readonly version: number;
}

/** The reasons of a kind, the most frequent first, with the newest of each. */
export function ReasonList({ kind, version }: ReasonListProps) {
  const { data, fault, reload } = useLoaded(`${kind} ${version}`, (signal) =>
    client.listReasons({ kind: kinds[kind] }, { signal }),
  );
  return (
    <Card title={t("deadLetters.reasons")}>
      <Loaded data={data} fault={fault} onRetry={reload}>
        {({ reasons, further, complete }) => (
          <>
            <Table
              caption={t("deadLetters.reasons")}
              columns={columnsOf(kind, complete)}
              rows={reasons}
              keyOf={keyOf}
            />
            {further > 0n && <p class="card-line muted">{tn("deadLetters.further", further)}</p>}
            {!complete && <p class="card-line muted">{t("deadLetters.partial")}</p>}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function keyOf({ reason, projectId, channel, target }: DeadLetterReason): string {
  return JSON.stringify([reason, String(projectId), channel, target]);
}

/** A plus says that there may be more. */
export function countText(count: bigint, isComplete: boolean): string {
  return `${formatNumber(count)}${isComplete ? "" : "+"}`;
}

function columnsOf(kind: KindName, isComplete: boolean): readonly Column<DeadLetterReason>[] {
  return [
    {
      name: "reason",
      title: t("deadLetters.reason"),
      isHeading: true,
      cell: (row) => (
        <a href={hrefOf(["dead-letters"], { kind, ...selectReason(row) })}>
          {row.reason || t("deadLetters.noReason")}
        </a>
      ),
    },
    ...placeColumns(kind),
    {
      name: "count",
      title: t("deadLetters.count"),
      isNumber: true,
      cell: ({ count }) => countText(count, isComplete),
    },
    {
      name: "newest",
      title: t("deadLetters.newest"),
      cell: ({ newestTime }) => newestTime && <Time ms={timestampMs(newestTime)} />,
    },
    {
      name: "example",
      title: t("deadLetters.example"),
      cell: ({ example }) => example && <Example letter={example} />,
    },
  ];
}

/** The columns that say where rows of a kind belong. */
export function placeColumns(kind: KindName): readonly Column<DeadLetterReason | DeadLetter>[] {
  if (kind === "webhook") {
    return [
      { name: "channel", title: t("deadLetters.channel"), cell: ({ channel }) => channel },
      { name: "target", title: t("deadLetters.target"), cell: ({ target }) => target },
    ];
  }
  if (kind !== "record") return [];
  return [
    {
      name: "project",
      title: t("deadLetters.project"),
      cell: ({ projectId }) => (projectId === 0n ? "" : String(projectId)),
    },
  ];
}

function Example({ letter }: { readonly letter: DeadLetter }) {
  const text = letter.message || textOf(letter.content) || letter.pushId;
  return (
    <div class="stack">
      <LongText text={text} />
      <LetterLink id={letter.deadLetterId} text={t("deadLetters.show")} />
    </div>
  );
}
