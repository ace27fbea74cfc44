/** The style of the documentation, in light and dark colours as the browser prefers. */
export const style = `:root {
  color-scheme: light dark;
  --text: light-dark(#1d2430, #dfe4ec);
  --soft: light-dark(#5a6473, #9aa5b5);
  --back: light-dark(#ffffff, #12161d);
  --area: light-dark(#f4f6f9, #1b212b);
  --line: light-dark(#d8dde5, #323b49);
  --link: light-dark(#0b57c2, #7ab0ff);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 5rem; }
body {
  margin: 0;
  color: var(--text);
  background: var(--back);
  font: 1rem/1.55 system-ui, sans-serif;
  display: grid;
  grid-template: "header header" auto "aside main" 1fr / 16rem minmax(0, 1fr);
}
a { color: var(--link); }
a:focus-visible, input:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
header {
  grid-area: header;
  position: sticky;
  top: 0;
  z-index: 1;
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 1.5rem;
  align-items: center;
  justify-content: space-between;
  padding: 0.6rem 1.25rem;
  background: var(--area);
  border-bottom: 1px solid var(--line);
}
header ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.1rem; margin: 0; padding: 0; list-style: none; }
header nav a { text-decoration: none; }
header nav a[aria-current] { color: inherit; font-weight: 600; }
search { position: relative; }
search input {
  width: 16rem;
  max-width: 100%;
  padding: 0.35rem 0.6rem;
  color: inherit;
  background: var(--back);
  border: 1px solid var(--line);
  border-radius: 0.35rem;
  font: inherit;
}
#found {
  position: absolute;
  right: 0;
  width: min(40rem, 90vw);
  max-height: 70vh;
  margin: 0.3rem 0 0;
  padding: 0.5rem 1rem;
  overflow: auto;
  list-style: none;
  background: var(--back);
  border: 1px solid var(--line);
  border-radius: 0.35rem;
  box-shadow: 0 0.4rem 1.2rem rgb(0 0 0 / 25%);
}
#found li { padding: 0.4rem 0; }
#found p { margin: 0; color: var(--soft); font-size: 0.875rem; overflow-wrap: anywhere; }
#state { margin: 0; color: var(--soft); font-size: 0.8rem; }
#state:empty { display: none; }
.contents {
  grid-area: aside;
  position: sticky;
  top: 3.5rem;
  align-self: start;
  max-height: calc(100vh - 3.5rem);
  overflow: auto;
  padding: 1rem 0.5rem 1rem 1.25rem;
  font-size: 0.875rem;
}
.contents ol { margin: 0; padding: 0; list-style: none; }
.contents a { display: block; padding: 0.1rem 0; color: var(--soft); text-decoration: none; overflow-wrap: anywhere; }
.contents a:hover { color: var(--link); }
main { grid-area: main; min-width: 0; max-width: 76rem; padding: 0.5rem 1.5rem 4rem; }
h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 2.5rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--line); }
dt { margin-top: 1rem; font-weight: 600; }
dd { margin: 0; }
code { font: 0.875em/1.45 ui-monospace, monospace; }
:not(pre) > code { padding: 0.1em 0.3em; background: var(--area); border-radius: 0.25rem; overflow-wrap: break-word; }
pre { padding: 0.8rem 1rem; overflow: auto; background: var(--area); border: 1px solid var(--line); border-radius: 0.35rem; }
img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 0.35rem; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.4rem 0.6rem; text-align: left; vertical-align: top; border: 1px solid var(--line); }
td { min-width: 4rem; }
th { background: var(--area); }
@media (max-width: 60rem) {
  body { grid-template: "header" auto "aside" auto "main" auto / minmax(0, 1fr); }
  .contents { position: static; max-height: 12rem; }
}
@media print {
  header, .contents { display: none; }
}
`;
