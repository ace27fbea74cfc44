/**
 * How many lines of two values are compared to show why an expectation has failed. For two buffers of 300 KB that
 * differ in each byte it would take twenty minutes, which no time limit of a test stops.
 */
export const diff = { truncateThreshold: 5_000 };
