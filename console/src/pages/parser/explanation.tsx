import type { ExplainResponse, FormatWarning } from "../../../../gen/engage/parser/v1/parser_explainer_pb.ts";
import { Card } from "../../controls/card.tsx";
import { Command } from "../../controls/copy.tsx";
import { Tabs } from "../../controls/tabs.tsx";
import { setQuery } from "../../router/router.ts";
import { t } from "../../texts/texts.ts";
import { visible } from "./content.ts";
import { FramingView } from "./framing-view.tsx";
import { LinesView } from "./lines-view.tsx";

interface ExplanationProps {
  readonly content: Uint8Array;
  readonly response: ExplainResponse;
  /** The name of the open tab. */
  readonly open: string;
}

/** What the parser makes of a content. */
export function ExplanationView({ content, response, open }: ExplanationProps) {
  const tabs = [
    { name: "lines", title: t("parser.tab.lines"), content: () => <LinesView response={response} /> },
    {
      name: "framing",
      title: t("parser.tab.framing"),
      content: () => <FramingView content={content} response={response} />,
    },
    {
      name: "response",
      title: t("parser.tab.response"),
      content: () => <Command text={visible(response.content)} />,
    },
    {
      name: "configuration",
      title: t("parser.tab.configuration"),
      content: () => <Command text={response.configuration} />,
    },
  ];
  return (
    <Card title={t("parser.result")} isPadded>
      {response.warnings.map((warning) => (
        <WarningNote key={`${warning.place} ${warning.message}`} warning={warning} />
      ))}
      <Tabs
        label={t("parser.result")}
        tabs={tabs}
        open={open}
        onOpen={(name) => setQuery({ show: name === "lines" ? "" : name })}
      />
    </Card>
  );
}

function WarningNote({ warning }: { readonly warning: FormatWarning }) {
  return (
    <div class="note warn">
      <strong>{warning.message}</strong>
      <span class="muted">
        {warning.place} {warning.path}
      </span>
    </div>
  );
}
