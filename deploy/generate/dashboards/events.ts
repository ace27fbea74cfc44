import type { DashboardPlan, Row } from "./plan.ts";
import { maxOf, quantileOf, rateOf } from "./promql.ts";

const arriving: Row = {
  title: "Arriving",
  panels: [
    {
      title: "Records",
      text: "Records a second that are on disk and will be loaded, by the way on which they came.",
      unit: "eps",
      form: "areas",
      queries: [rateOf("engage_events_received_records_total", { labels: ["source"] })],
    },
    {
      title: "Records by project",
      text: "Records a second that are on disk and will be loaded.",
      unit: "eps",
      queries: [rateOf("engage_events_received_records_total", { labels: ["project"] })],
    },
    {
      title: "Refused records",
      text: "Records a second that were refused, by reason.",
      unit: "eps",
      queries: [rateOf("engage_events_refused_records_total", { labels: ["source", "reason"] })],
    },
    {
      title: "Refused bodies, dropped properties",
      text: "Bodies of SDKs a second that were refused as a whole, and properties that were left out of records.",
      unit: "cps",
      queries: [
        rateOf("engage_events_rejected_bodies_total", { labels: ["reason"] }),
        rateOf("engage_events_dropped_properties_total", { labels: ["source", "reason"] }),
      ],
    },
    {
      title: "Dead letters",
      text: "Refused records a second by whether they were kept as dead letters.",
      unit: "eps",
      queries: [rateOf("engage_events_dead_letters_total", { labels: ["outcome"] })],
    },
  ],
};

const loading: Row = {
  title: "Loading",
  panels: [
    {
      title: "Loaded records",
      text: "Records a second that can be queried from now on, and those that were stored before.",
      unit: "eps",
      queries: [
        rateOf("engage_events_loaded_records_total", { labels: ["kind"] }),
        rateOf("engage_events_duplicate_records_total", { labels: ["kind"], legend: "repeated {{kind}}" }),
      ],
    },
    {
      title: "Oldest record",
      text: "Time since the receipt of the first record that cannot be queried yet.",
      unit: "s",
      queries: [maxOf("engage_events_lag_seconds")],
    },
    {
      title: "Waiting records",
      text: "Bytes of records that cannot be queried yet.",
      unit: "bytes",
      queries: [maxOf("engage_events_lag_bytes")],
    },
    {
      title: "Delay",
      text: "From the receipt of the first record of a batch until the batch can be queried.",
      unit: "s",
      queries: [
        quantileOf(0.5, "engage_events_queryable_delay_seconds"),
        quantileOf(0.95, "engage_events_queryable_delay_seconds"),
      ],
    },
    {
      title: "Duration of a load",
      text: "How long the store took to load a batch.",
      unit: "s",
      queries: [
        quantileOf(0.5, "engage_events_load_seconds"),
        quantileOf(0.95, "engage_events_load_seconds"),
      ],
    },
    {
      title: "Batches",
      text: "Batches a second that were loaded, and that failed and are retried.",
      unit: "cps",
      queries: [
        rateOf("engage_events_load_batches_total", { legend: "loaded" }),
        rateOf("engage_events_load_failures_total", { legend: "failed" }),
      ],
    },
    {
      title: "Upkeep",
      text: "Rounds of retention a second that failed, ids that were forgotten early, and incomplete records after a crash.",
      unit: "cps",
      queries: [
        rateOf("engage_events_compact_errors_total", { legend: "failed rounds" }),
        rateOf("engage_events_forgotten_uuids_total", { legend: "forgotten ids" }),
        rateOf("engage_events_torn_records_total", { legend: "incomplete records" }),
      ],
    },
  ],
};

export const events: DashboardPlan = {
  name: "events",
  title: "engage: events",
  text: "Records from their arrival until they can be queried.",
  rows: [arriving, loading],
};
