import { timestampMs } from "@bufbuild/protobuf/wkt";
import { useSignal } from "@preact/signals";
import { type ComponentChildren, Fragment } from "preact";
import type { DeadLetter } from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { mayWrite } from "../../app/session.ts";
import { Button } from "../../controls/button.tsx";
import { Card } from "../../controls/card.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { Time } from "../../controls/time.tsx";
import { hrefOf } from "../../router/router.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { t, tn } from "../../texts/texts.ts";
import { client } from "./client.ts";
import { ContentView } from "./content-view.tsx";
import { nameOfKind } from "./kinds.ts";
import { ReplayDialog } from "./replay-dialog.tsx";

/** One dead letter with all of its content. */
export function LetterPage({ id }: { readonly id: string }) {
  const { data, fault, reload } = useLoaded(id, async (signal) => {
    const [{ deadLetter }, { kinds }] = await Promise.all([
      client.getDeadLetter({ deadLetterId: id }, { signal }),
      client.listKinds({}, { signal }),
    ]);
    const obstacle = kinds.find(({ kind }) => kind === deadLetter?.kind)?.replayObstacle ?? "";
    return { letter: deadLetter!, obstacle };
  });
  const kind = data === undefined ? undefined : nameOfKind(data.letter.kind);
  return (
    <>
      <PageHead title={t("deadLetters.one")} />
      <p>
        <a href={hrefOf(["dead-letters"], kind === undefined ? {} : { kind })}>{t("deadLetters.back")}</a>
      </p>
      <Loaded data={data} fault={fault} onRetry={reload}>
        {({ letter, obstacle }) => <LetterView letter={letter} obstacle={obstacle} />}
      </Loaded>
    </>
  );
}

interface LetterViewProps {
  readonly letter: DeadLetter;
  readonly obstacle: string;
}

function LetterView({ letter, obstacle }: LetterViewProps) {
  const { content, incomplete, kind, lines } = letter;
  const isOffered = mayWrite.value && obstacle === "" && !incomplete;
  return (
    <>
      <Card
        title={t(`deadLetters.kind.${nameOfKind(kind)}`)}
        isPadded
        {...(isOffered && { actions: <ReplayOne letter={letter} /> })}
      >
        <dl class="pairs-list">
          {factsOf(letter).map(([name, value]) => (
            <Fragment key={name}>
              <dt>{t(name)}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
        </dl>
        {obstacle !== "" && <p class="muted">{t("deadLetters.obstacle", { reason: obstacle })}</p>}
        {incomplete && <p class="muted">{t("deadLetters.incomplete")}</p>}
        {lines > 1n && <p class="muted">{tn("deadLetters.lines", lines)}</p>}
      </Card>
      <Card title={t("deadLetters.content")} isPadded>
        {content.length === 0 ? (
          <p class="muted">{t("deadLetters.content.none")}</p>
        ) : (
          <ContentView content={content} label={t("deadLetters.content")} />
        )}
      </Card>
    </>
  );
}

type Fact =
  | "time"
  | "reason"
  | "message"
  | "project"
  | "channel"
  | "target"
  | "push"
  | "source"
  | "index"
  | "format";

/** The facts that are known. */
function factsOf(letter: DeadLetter): readonly (readonly [`deadLetters.${Fact}`, ComponentChildren])[] {
  const { deadTime, reason, message, projectId, channel, target, pushId, deliveryId } = letter;
  const push = deliveryId && (
    <a href={hrefOf(["deliveries", "delivery", deliveryId])}>{pushId || deliveryId}</a>
  );
  const facts: readonly (readonly [Fact, ComponentChildren])[] = [
    ["time", deadTime && <Time ms={timestampMs(deadTime)} />],
    ["reason", reason],
    ["message", message],
    ["project", projectId === 0n ? "" : String(projectId)],
    ["channel", channel],
    ["target", target],
    ["push", push],
    ["source", letter.source],
    ["index", letter.index],
    ["format", letter.format],
  ];
  return facts.filter(([, value]) => value).map(([name, value]) => [`deadLetters.${name}`, value] as const);
}

function ReplayOne({ letter }: { readonly letter: DeadLetter }) {
  const isAsked = useSignal(false);
  const { kind, deadLetterId } = letter;
  return (
    <>
      <Button
        onClick={() => {
          isAsked.value = true;
        }}
      >
        {t("deadLetters.replay.one")}
      </Button>
      {isAsked.value && (
        <ReplayDialog
          title={t("deadLetters.replay.one")}
          filter={{ kind, deadLetterId }}
          onClose={() => {
            isAsked.value = false;
          }}
        />
      )}
    </>
  );
}
