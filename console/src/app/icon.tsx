/** Outlines on a grid of 16 by 16, by the name of what they stand for. */
const outlines = {
  overview: "M2 13V8m4 5V4m4 9V6m4 7V2",
  deliveries: "M2 4h12v9H2zm0 0 6 5 6-5",
  deadLetters: "M8 2 1.5 13.5h13zM8 6.5v3m0 2v.5",
  events: "M1.5 8h3l2-5 3 10 2-5h3",
  query: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zm3.6-1.4L14.5 14.5",
  parser: "M5 4 1.5 8 5 12m6-8 3.5 4L11 12M9.5 2.5l-3 11",
  channels: "M2 6v4h3l5 3.5v-11L5 6zm11-1.5a5 5 0 0 1 0 7",
  tasks: "M14.5 1.5 1.5 7l5 2 2 5zM6.5 9l4-4",
  receivers: "M2.5 8.5 6 12l7.5-8",
  settings: "M2 4.5h7m3 0h2M2 11.5h2m3 0h7M10.5 3v3m-5 4v3",
  reference: "M3 2h8.5L13 3.5V14H3zm2.5 4h5m-5 3h5",
  menu: "M2 4h12M2 8h12M2 12h12",
} as const;

export type IconName = keyof typeof outlines;

/** A picture beside a text that says the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={outlines[name]} />
    </svg>
  );
}
