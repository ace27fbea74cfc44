import collectDefaultMetrics from "prom-client/lib/defaultMetrics.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";

export type { Metric } from "prom-client";
/**
 * The parts of prom-client that are used. Other modules import them from here, since the package's index also loads a
 * client that pushes metrics over HTTPS, and so TLS.
 */
export { collectDefaultMetrics, Gauge, Histogram, Registry };
