/**
 * Options for showing why an expectation has failed. Comparing two buffers of 40 KB that differ in each byte would take
 * 20 s, and four times as long for twice the size, which no time limit of a test stops.
 */
export const diff = { truncateThreshold: 5_000 };
