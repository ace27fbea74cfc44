import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ReceiverChecker } from "../../../../gen/engage/channel/v1/receiver_checker_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { mayWrite } from "../../app/session.ts";
import { Card } from "../../controls/card.tsx";
import { Command } from "../../controls/copy.tsx";
import { FaultNote } from "../../controls/fault-note.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { setQuery } from "../../router/router.ts";
import { type Fault, faultOf } from "../../rpc/fault.ts";
import { clientOf, serverUrl } from "../../rpc/transport.ts";
import { t } from "../../texts/texts.ts";
import { commandOf, noSecrets, queryOf, type Receiver, receiverOf, requestOf, type Secrets } from "./form.ts";
import { ReceiverForm } from "./receiver-form.tsx";
import { Report } from "./report.tsx";
import { emptyRun, type Run, withStep } from "./run.ts";
import "./receivers.css";

const client = clientOf(ReceiverChecker);

/** Runs the checks of `engage check` from the server. The receiver is in the URL; secrets stay in the page. */
export function ReceiversPage({ query }: PageProps) {
  const receiver = receiverOf(query);
  const secrets = useSignal(noSecrets);
  const { run, fault, isRunning, start, stop } = useRun();
  return (
    <>
      <PageHead title={t("receivers.title")} lead={t("receivers.lead")} />
      {mayWrite.value ? (
        <ReceiverForm
          receiver={receiver}
          secrets={secrets.value}
          isRunning={isRunning}
          onChange={(changed) => setQuery(queryOf(changed))}
          onSecrets={(changed) => {
            secrets.value = changed;
          }}
          onStart={() => void start(receiver, secrets.value)}
          onStop={stop}
        />
      ) : (
        <p class="note">{t("receivers.readOnly")}</p>
      )}
      <div class="receivers-report" aria-live="polite">
        {fault !== undefined && <FaultNote fault={fault} />}
        {run.probes.length > 0 && <Report run={run} isRunning={isRunning} />}
        {run.probes.length === 0 && fault === undefined && <Hints />}
      </div>
      <Card title={t("receivers.command")} isPadded>
        <p class="muted">{t("receivers.command.do")}</p>
        <Command text={commandOf({ ...receiver, url: receiver.url || exampleUrl }, secrets.value)} />
      </Card>
    </>
  );
}

/** The server's own receiver in the demo. */
const exampleUrl = `${serverUrl}/webhook/demo`;

/** What is sent, before the first run. */
function Hints() {
  return (
    <div class="note">
      <strong>{t("receivers.hint")}</strong>
      <span>{t("receivers.hint.ids")}</span>
      <span>{t("receivers.hint.load")}</span>
      <span>{t("receivers.hint.address")}</span>
    </div>
  );
}

/** The state of the latest run, which ends with the page. */
function useRun() {
  const run = useSignal<Run>(emptyRun);
  const fault = useSignal<Fault | undefined>(undefined);
  const isRunning = useSignal(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (receiver: Receiver, secrets: Secrets): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    run.value = emptyRun;
    fault.value = undefined;
    isRunning.value = true;
    try {
      for await (const step of client.checkReceiver(requestOf(receiver, secrets), { signal })) {
        run.value = withStep(run.peek(), step);
      }
    } catch (error) {
      if (!signal.aborted) fault.value = faultOf(error);
    }
    isRunning.value = false;
  };
  const stop = (): void => running.current?.abort();
  return { run: run.value, fault: fault.value, isRunning: isRunning.value, start, stop };
}
