import { Button } from "../../../controls/button.tsx";
import { saveCsv } from "../../../controls/file/save-file.ts";
import type { ResultTable } from "../../../results/series.ts";
import { groupsFileQuery } from "../../../results/snapshot.ts";
import { t } from "../../../texts/texts.ts";
import { downloadGroups } from "../data/downloads.ts";
import type { Run } from "../data/runner.ts";
import { type CsvWords, csvOfTable } from "../result/csv.ts";
import { DownloadButton } from "./download-button.tsx";

const words = (): CsvWords => ({
  metric: t("query.metric.column"),
  split: t("query.split.column"),
  compared: t("query.compared"),
  noValue: t("query.noValue"),
});

/** The result as files: the table as it is, and all groups where a limit left some out. */
export function Files({ run, table }: { readonly run: Run; readonly table: ResultTable }) {
  return (
    <div class="row">
      <Button onClick={() => saveCsv("query.csv", [csvOfTable(table, words())])}>{t("query.csv")}</Button>
      {run.result.info?.truncated === true && (
        <DownloadButton
          label={t("query.csv.all")}
          fileName="query-all-groups.csv"
          download={(signal, take) => downloadGroups(groupsFileQuery(run.query), words(), signal, take)}
        />
      )}
    </div>
  );
}
