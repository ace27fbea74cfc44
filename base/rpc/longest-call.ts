/** How long a unary call may take unless a server is configured otherwise: it shortens longer deadlines to this. */
export const longestCallMs = 300_000;
