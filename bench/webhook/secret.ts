/** The secret of all webhook channels of this benchmark. */
export const secret = "the-secret-of-the-benchmark";
