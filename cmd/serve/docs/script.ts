/**
 * The script of the documentation: the search. It makes no markup from text. Texts are loaded when the search is first
 * used.
 */
export const script = `const field = document.getElementById("search");
const list = document.getElementById("found");
const state = document.getElementById("state");
const root = document.body.dataset.root;
const most = 20;
let loading;

function load() {
  loading ??= fetch(root + "search.json").then((response) => response.json());
  return loading;
}

// Returns how well an entry fits: words in the heading count more than words in the text.
function rank(entry, words) {
  const heading = (entry.title + " " + entry.heading).toLowerCase();
  const text = entry.text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (heading.includes(word)) sum += 10;
    else if (text.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

function excerpt(entry, words) {
  const text = entry.text;
  const at = Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0), text.length);
  const from = Math.max(0, at === text.length ? 0 : at - 40);
  return (from > 0 ? "… " : "") + text.slice(from, from + 160) + (from + 160 < text.length ? " …" : "");
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

async function search() {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  if (words.length === 0) return show([], words, "");
  const entries = await load();
  const now = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  if (now.join(" ") !== words.join(" ")) return;
  const found = entries
    .map((entry) => ({ entry, fit: rank(entry, words) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit);
  const count = found.length > most ? most + " of " + found.length + " places" : found.length + (found.length === 1 ? " place" : " places");
  show(found.slice(0, most).map(({ entry }) => entry), words, count);
}

function show(entries, words, count) {
  list.replaceChildren(
    ...entries.map((entry) => {
      const link = element("a", entry.title === entry.heading ? entry.title : entry.title + " › " + entry.heading);
      link.href = root + entry.page + "#" + entry.anchor;
      const item = document.createElement("li");
      item.append(link, element("p", excerpt(entry, words)));
      return item;
    }),
  );
  list.hidden = entries.length === 0;
  state.textContent = count;
}

field.addEventListener("input", search);
field.addEventListener("focus", load);
list.addEventListener("click", (event) => {
  if (event.target.closest("a")) list.hidden = true;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  } else if (event.key === "Escape") {
    field.value = "";
    show([], [], "");
  }
});
`;
