import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { DeadLetter } from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { mayWrite } from "../../app/session.ts";
import { Card } from "../../controls/card.tsx";
import { DialogButton } from "../../controls/dialog/dialog-button.tsx";
import { type Fact, FactList } from "../../controls/fact-list.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { Time } from "../../controls/time.tsx";
import { ReplayDialog } from "../../replay/replay-dialog.tsx";
import { hrefOf } from "../../router/router.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { t, tn } from "../../texts/texts.ts";
import { client } from "./client.ts";
import { ContentView } from "./content-view.tsx";
import { nameOfKind } from "./kinds.ts";
import { lettersOf } from "./replay.ts";

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
        <FactList facts={factsOf(letter)} />
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

function factsOf(letter: DeadLetter): readonly Fact[] {
  const { deadTime, reason, message, projectId, channel, target, pushId, deliveryId } = letter;
  const push = deliveryId && (
    <a href={hrefOf(["deliveries", "delivery", deliveryId])}>{pushId || deliveryId}</a>
  );
  return [
    [t("deadLetters.time"), deadTime && <Time ms={timestampMs(deadTime)} />],
    [t("deadLetters.reason"), reason],
    [t("deadLetters.message"), message],
    [t("deadLetters.project"), projectId !== 0n && String(projectId)],
    [t("deadLetters.channel"), channel],
    [t("deadLetters.target"), target],
    [t("deadLetters.push"), push],
    [t("deadLetters.source"), letter.source],
    [t("deadLetters.index"), letter.index],
    [t("deadLetters.format"), letter.format],
  ];
}

function ReplayOne({ letter }: { readonly letter: DeadLetter }) {
  const { kind, deadLetterId } = letter;
  return (
    <DialogButton
      text={t("deadLetters.replay.one")}
      isOffered
      dialog={(close) => (
        <ReplayDialog
          title={t("deadLetters.replay.one")}
          page="deadLetters"
          selected={lettersOf(client, { kind, deadLetterId })}
          onClose={close}
        />
      )}
    />
  );
}
