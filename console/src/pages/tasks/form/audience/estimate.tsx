import { useSignal } from "@preact/signals";
import type { EstimateAudienceResponse } from "../../../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { Button } from "../../../../controls/button.tsx";
import { busyText } from "../../../../form/say.ts";
import { t, tn } from "../../../../texts/texts.ts";
import type { TaskFormPart } from "../task-form-part.ts";
import { audienceOf, checkAudience } from "./audience-draft.ts";

/** Counts the users of the audience that is entered, and those of them who can be reached. */
export function Estimate({ client, channel, draft, isBusy, submit }: TaskFormPart) {
  const result = useSignal<EstimateAudienceResponse | undefined>(undefined);
  const { projectId, pushIdProperty } = channel;
  const estimate = () =>
    submit(async () => {
      result.value = undefined;
      const audience = audienceOf(draft.audience);
      result.value = await client.estimateAudience({ projectId, pushIdProperty, audience });
    }, checkAudience(draft.audience));
  return (
    <div class="stack">
      <div>
        <Button obstacle={busyText(isBusy)} onClick={() => void estimate()}>
          {t("tasks.estimate")}
        </Button>
      </div>
      <div aria-live="polite">
        {result.value !== undefined && <EstimateResult result={result.value} property={pushIdProperty} />}
      </div>
    </div>
  );
}

interface EstimateResultProps {
  readonly result: EstimateAudienceResponse;
  readonly property: string;
}

function EstimateResult({ result: { users, reachable, warnings }, property }: EstimateResultProps) {
  return (
    <div class={warnings.length > 0 || reachable === 0n ? "note warn" : "note good"}>
      <strong>{tn("tasks.estimate.users", users)}</strong>
      <span>{tn("tasks.estimate.reachable", reachable, { property })}</span>
      {warnings.map((warning) => (
        <span key={warning}>{warning}</span>
      ))}
    </div>
  );
}
