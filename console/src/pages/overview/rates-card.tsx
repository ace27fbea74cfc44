import { Chart } from "../../chart/chart.tsx";
import { ratesOf } from "../../chart/series.ts";
import { Card } from "../../controls/card.tsx";
import { t } from "../../texts/texts.ts";

/** The counters of all channels together at a moment. */
export interface CounterReading {
  readonly ms: number;
  readonly accepted: number;
  readonly delivered: number;
  readonly dead: number;
}

const counters = ["accepted", "delivered", "dead"] as const;

/** Rates, computed from what the counters were at each update of the page. */
export function RatesCard({ readings }: { readonly readings: readonly CounterReading[] }) {
  const series = counters.map((name) => ({
    label: t(`overview.${name}`),
    values: ratesOf(readings.map((reading) => ({ ms: reading.ms, count: reading[name] }))),
  }));
  const timesMs = readings.slice(1).map(({ ms }) => ms);
  const lead = <span class="muted">{t("overview.rates.lead")}</span>;
  return (
    <Card title={t("overview.rates")} actions={lead} isPadded>
      <Chart label={t("overview.rates")} timesMs={timesMs} series={series} />
    </Card>
  );
}
