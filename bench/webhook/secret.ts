/** Of the channels of this benchmark. */
export const secret = "the-secret-of-the-benchmark";
