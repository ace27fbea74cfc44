import type { Client } from "@connectrpc/connect";
import { useSignal } from "@preact/signals";
import { type Channel, ChannelSchema } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import type { ChannelSender } from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { mayWrite } from "../../app/session.ts";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog/dialog.tsx";
import { FaultNote } from "../../controls/fault-note.tsx";
import type { Draft } from "../../form/draft.ts";
import { checkDraft, type Faults, faultsIn } from "../../form/faults.ts";
import { focusFault } from "../../form/focus-fault.ts";
import type { LimitText } from "../../form/limits.ts";
import { type Outcome, OutcomeNote } from "../../form/outcome.tsx";
import { busyText, say } from "../../form/say.ts";
import { navigate } from "../../router/router.ts";
import { type Fault, faultOf } from "../../rpc/fault.ts";
import { t } from "../../texts/texts.ts";
import { channelOf, draftOfChannel, isStoredSecret, newChannelDraft } from "./channel-draft.ts";
import { ChannelFields } from "./channel-fields.tsx";
import { ChannelTest } from "./channel-test.tsx";

interface ChannelEditorProps {
  readonly client: Client<typeof ChannelSender>;
  /** Undefined: a new channel. */
  readonly stored: Channel | undefined;
}

const noFaults: Faults = new Map();

/** The form of a channel, with its test, and what saves and deletes it. */
export function ChannelEditor({ client, stored: loaded }: ChannelEditorProps) {
  const stored = useSignal(loaded);
  const draft = useSignal<Draft>(loaded === undefined ? newChannelDraft(0n) : draftOfChannel(loaded));
  const faults = useSignal(noFaults);
  const outcome = useSignal<Outcome>({});
  const isBusy = useSignal(false);

  /** Checks the draft, and calls with the channel; faults of fields are shown at them. */
  const submit = async (
    call: (channel: Channel) => Promise<Outcome>,
    more: Faults<LimitText> = new Map(),
  ): Promise<void> => {
    const isStored = (path: string) => isStoredSecret(draft.value, path);
    const wrong = new Map([...checkDraft(ChannelSchema, draft.value, isStored), ...more]);
    faults.value = new Map([...wrong].map(([path, fault]) => [path, say(fault)]));
    outcome.value = {};
    if (wrong.size > 0) return focusFault();
    isBusy.value = true;
    try {
      outcome.value = await call(channelOf(draft.value, stored.value));
    } catch (error) {
      faults.value = faultsIn(error, "channel");
      outcome.value = { fault: faultOf(error) };
      focusFault();
    }
    isBusy.value = false;
  };
  const save = () =>
    submit(async (channel) => {
      if (stored.value === undefined) {
        const { channel: created } = await client.createChannel({ channel });
        navigate(["channels", created?.channelId ?? ""]);
        return {};
      }
      const { channelId } = stored.value;
      const { channel: saved, warnings } = await client.updateChannel({ channelId, channel });
      if (saved !== undefined) {
        stored.value = saved;
        draft.value = draftOfChannel(saved);
      }
      return { warnings };
    });
  return (
    <div class="form">
      {!mayWrite.value && <p class="note">{t("channels.readOnly")}</p>}
      <form noValidate onSubmit={(event) => event.preventDefault()}>
        <fieldset class="form-whole" disabled={!mayWrite.value}>
          <legend class="hidden-text">{t("channels.settings")}</legend>
          <ChannelFields
            draft={draft.value}
            faults={faults.value}
            onChange={(change) => {
              draft.value = change(draft.value);
            }}
          />
        </fieldset>
      </form>
      {mayWrite.value && (
        <>
          <ChannelTest
            client={client}
            channel={channelOf(draft.value, stored.value)}
            faults={faults.value}
            isBusy={isBusy.value}
            submit={submit}
          />
          <OutcomeNote outcome={outcome.value} saved={t("channels.saved")} />
          <div class="row">
            <Button kind="main" obstacle={busyText(isBusy.value)} onClick={() => void save()}>
              {t(stored.value === undefined ? "channels.create" : "channels.save")}
            </Button>
            {stored.value !== undefined && <DeleteButton client={client} channel={stored.value} />}
          </div>
        </>
      )}
    </div>
  );
}

interface DeleteButtonProps {
  readonly client: Client<typeof ChannelSender>;
  readonly channel: Channel;
}

function DeleteButton({ client, channel: { channelId, name, etag } }: DeleteButtonProps) {
  const isAsking = useSignal(false);
  const fault = useSignal<Fault | undefined>(undefined);
  const close = () => {
    isAsking.value = false;
    fault.value = undefined;
  };
  const remove = async (): Promise<void> => {
    try {
      await client.deleteChannel({ channelId, etag });
      navigate(["channels"]);
    } catch (error) {
      fault.value = faultOf(error);
    }
  };
  return (
    <>
      <Button
        kind="danger"
        onClick={() => {
          isAsking.value = true;
        }}
      >
        {t("channels.delete")}
      </Button>
      {isAsking.value && (
        <Dialog
          title={t("channels.delete.ask", { name })}
          onClose={close}
          action={{ text: t("channels.delete"), isDanger: true, run: () => void remove() }}
        >
          <p>{t("channels.delete.text")}</p>
          {fault.value !== undefined && <FaultNote fault={fault.value} />}
        </Dialog>
      )}
    </>
  );
}
