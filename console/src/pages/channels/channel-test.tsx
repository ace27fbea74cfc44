import type { Client } from "@connectrpc/connect";
import { useSignal } from "@preact/signals";
import type { Channel } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import {
  type ChannelSender,
  TestChannelRequestSchema,
  type TestChannelResponse,
  type Verdict,
} from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { ContentControl } from "../../contents/content-control.tsx";
import { contentOf, defaultContent, namedFields } from "../../contents/content-draft.ts";
import { Badge } from "../../controls/badge.tsx";
import { Button } from "../../controls/button.tsx";
import { Card } from "../../controls/card.tsx";
import { CopyButton } from "../../controls/copy.tsx";
import { Field } from "../../controls/field.tsx";
import { JsonView } from "../../controls/json-view.tsx";
import { Table } from "../../controls/table.tsx";
import { type Faults, faultsOf, findFaults } from "../../form/faults.ts";
import type { LimitText } from "../../form/limits.ts";
import type { Outcome } from "../../form/outcome.tsx";
import { busyText, labelOf, sayLimits } from "../../form/say.ts";
import { formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";

interface ChannelTestProps {
  readonly client: Client<typeof ChannelSender>;
  /** The channel as it is in the form. */
  readonly channel: Channel;
  /** By paths within the request of the test, beside those of the channel. */
  readonly faults: Faults;
  readonly isBusy: boolean;
  /** Checks the form and calls with its channel. Nothing is called if something is wrong already. */
  readonly submit: (call: (channel: Channel) => Promise<Outcome>, wrong?: Faults<LimitText>) => Promise<void>;
}

const { pushId: pushIdField } = TestChannelRequestSchema.field;

/** Sends one real message over the channel as it is in the form, saved or not, and shows both sides of the call. */
export function ChannelTest({ client, channel, faults, isBusy, submit }: ChannelTestProps) {
  const pushId = useSignal("");
  const content = useSignal(defaultContent);
  const result = useSignal<TestChannelResponse | undefined>(undefined);
  const limits = sayLimits(pushIdField);
  const hasContent = namedFields(channel).length > 0;
  const test = () =>
    submit(
      async (tested) => {
        result.value = undefined;
        const values = hasContent ? { content: contentOf(content.value, tested) } : {};
        result.value = await client.testChannel({ channel: tested, pushId: pushId.value, ...values });
        return {};
      },
      findFaults([pushIdField, pushId.value]),
    );
  return (
    <Card title={t("channels.test")} isPadded>
      <div class="stack">
        <p>{t("channels.test.lead")}</p>
        <div class="form-fields">
          <Field
            label={labelOf(pushIdField)}
            {...(limits !== undefined && { limits })}
            value={pushId.value}
            error={faults.get("push_id")}
            onInput={(value) => {
              pushId.value = value;
            }}
          />
        </div>
        {hasContent && (
          <fieldset class="form-rows">
            <legend>{t("channels.test.content")}</legend>
            <div class="stack">
              <ContentControl
                channel={channel}
                content={content.value}
                faults={faultsOf(faults, "content")}
                substitute={t("channels.test.sample")}
                onChange={(changed) => {
                  content.value = changed;
                }}
              />
            </div>
          </fieldset>
        )}
        <div>
          <Button obstacle={busyText(isBusy)} onClick={() => void test()}>
            {t("channels.test.send")}
          </Button>
        </div>
        <div aria-live="polite">{result.value !== undefined && <TestResult result={result.value} />}</div>
      </div>
    </Card>
  );
}

function TestResult({ result }: { readonly result: TestChannelResponse }) {
  const { requestHeaders, requestBody, signature, status, responseBody, durationMs, strict, lenient } =
    result;
  return (
    <div class="stack channels-result">
      {strict !== undefined && <VerdictLine verdict={strict} name={t("channels.strict")} />}
      {lenient !== undefined && <VerdictLine verdict={lenient} name={t("channels.lenient")} />}
      <h3>{t("channels.request")}</h3>
      <Table
        caption={t("channels.request.headers")}
        columns={[
          { name: "name", title: t("channels.header"), isHeading: true, cell: ([name]) => name },
          {
            name: "value",
            title: t("channels.value"),
            cell: ([, value]) => <code class="channels-url">{value}</code>,
          },
        ]}
        rows={Object.entries(requestHeaders)}
        keyOf={([name]) => name}
      />
      <p class="row">
        <strong>{t("channels.signature")}</strong>
        {signature === "" ? (
          t("channels.signed.no")
        ) : (
          <>
            <code class="channels-url">{signature}</code>
            <CopyButton text={signature} label={t("channels.signature.copy")} />
          </>
        )}
      </p>
      <JsonView text={requestBody} label={t("channels.request.body")} />
      <h3>{t("channels.response")}</h3>
      <p>
        {status === 0
          ? t("channels.response.none")
          : t("channels.response.status", {
              status: String(status),
              duration: formatNumber(durationMs),
            })}
      </p>
      {responseBody !== "" && <JsonView text={responseBody} label={t("channels.response.body")} />}
    </div>
  );
}

/** Whether the message counts as sent, and why not. */
function VerdictLine({ verdict, name }: { readonly verdict: Verdict; readonly name: string }) {
  const { succeeded, reason, message, warnings } = verdict;
  const tone = succeeded ? (warnings.length > 0 ? "warn" : "good") : "bad";
  return (
    <p class="row">
      <strong>{name}</strong>
      <Badge tone={tone}>{t(succeeded ? "channels.succeeded" : "channels.failed")}</Badge>
      {!succeeded && <code>{reason}</code>}
      {message !== "" && <span>{message}</span>}
      {warnings.map((warning) => (
        <span key={warning}>{warning}</span>
      ))}
    </p>
  );
}
