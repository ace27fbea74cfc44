import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import {
  type ExplainResponse,
  ParserExplainer,
} from "../../../../gen/engage/parser/v1/parser_explainer_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { FaultNote } from "../../controls/fault-note.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { setQuery } from "../../router/router.ts";
import { type Fault, faultOf } from "../../rpc/fault.ts";
import { clientOf } from "../../rpc/transport.ts";
import { t } from "../../texts/texts.ts";
import { ContentForm } from "./content-form.tsx";
import { ExplanationView } from "./explanation.tsx";
import { example, requestOf, type Settings, settingsOf } from "./request.ts";
import { SettingsForm } from "./settings-form.tsx";
import "./parser.css";

const client = clientOf(ParserExplainer);

/** A content and what the server says about it. */
interface Explained {
  readonly content: Uint8Array;
  readonly response: ExplainResponse;
}

/** Tries lines against formats. The settings are in the URL; the content is not, since it may be long or private. */
export function ParserPage({ query }: PageProps) {
  const settings = settingsOf(query);
  const content = useSignal<Uint8Array<ArrayBuffer>>(new Uint8Array());
  const explained = useSignal<Explained | undefined>(undefined);
  const fault = useSignal<Fault | undefined>(undefined);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const run = async (used: Settings): Promise<void> => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const bytes = content.peek();
    try {
      const response = await client.explain(requestOf(bytes, used), { signal });
      explained.value = { content: bytes, response };
      fault.value = undefined;
    } catch (error) {
      if (signal.aborted) return;
      explained.value = undefined;
      fault.value = faultOf(error);
    }
  };
  const change = ({ source, ...rest }: Settings): void => setQuery({ ...rest, formats: source });
  const tryExample = (): void => {
    content.value = new TextEncoder().encode(example.content);
    change(example.settings);
    void run(example.settings);
  };
  return (
    <>
      <PageHead title={t("parser.title")} lead={t("parser.lead")} />
      <form
        class="parser-form"
        onSubmit={(event) => {
          event.preventDefault();
          void run(settings);
        }}
      >
        <ContentForm
          content={content.value}
          onChange={(bytes) => {
            content.value = bytes;
          }}
          onExample={tryExample}
        />
        <SettingsForm settings={settings} onChange={change} />
      </form>
      <div aria-live="polite" class="parser-result">
        {fault.value !== undefined && <FaultNote fault={fault.value} />}
        {explained.value !== undefined && (
          <ExplanationView
            content={explained.value.content}
            response={explained.value.response}
            open={query.get("show") ?? ""}
          />
        )}
      </div>
    </>
  );
}
