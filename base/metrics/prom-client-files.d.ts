/**
 * Types of the files of prom-client that are used. The package has types for its index, which also loads a client that
 * pushes metrics, and so TLS.
 */
declare module "prom-client/lib/defaultMetrics.js" {
  import { collectDefaultMetrics } from "prom-client";
  export = collectDefaultMetrics;
}
declare module "prom-client/lib/gauge.js" {
  import { Gauge } from "prom-client";
  export = Gauge;
}
declare module "prom-client/lib/histogram.js" {
  import { Histogram } from "prom-client";
  export = Histogram;
}
declare module "prom-client/lib/registry.js" {
  import { Registry } from "prom-client";
  export = Registry;
}
