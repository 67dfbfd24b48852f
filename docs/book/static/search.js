// The search page: sections and rows of the scoreboard that hold the words of a query.
// Their texts are in texts.js, so that nothing is fetched and pages opened as files
// have lines of text, too.

// Words that people use for one thing; the book has one of them.
const SAME = [
  ["confidence interval", "confidence intervals", "95 % interval", "interval"],
  ["annotator", "annotators", "worker", "judge", "rater"],
  ["significance", "significant", "significance line", "called apart", "p-value"],
  ["elo", "arena", "leaderboard", "bradley-terry"],
  ["kappa", "agreement", "inter-annotator"],
  ["tie", "ties", "draw", "draws"],
  ["error bar", "error bars", "standard error", "interval"],
];
const MOST = 40; // results that are shown
const AROUND = 110; // letters before and after the first word that is found

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// A number is found whole; a word is found by its beginning, without an ending.
const pattern = (word) => {
  if (/^[\d.,]+$/.test(word)) return `(?<![\\d.,])${escaped(word)}(?![\\d]|[.,]\\d)`;
  return `(?<![\\p{L}\\d])${escaped(word.length > 4 ? word.replace(/(e?s|ing|ed)$/, "") : word)}`;
};
const finder = (words) =>
  words.map((word) => new RegExp(pattern(word), "iu"));

// The query itself, its words, and the same with other words for one thing.
const readings = (query) => {
  const words = query.match(/[\p{L}\d][\p{L}\d.,'-]*/gu) || [];
  const clean = words.map((word) => word.replace(/[.,]+$/, ""));
  const found = [{ rules: finder([query]), worth: 3 }, { rules: finder(clean), worth: 2 }];
  for (const names of SAME.filter((group) => group.includes(query))) {
    for (const name of names) found.push({ rules: finder([name]), worth: 1 });
  }
  return found;
};

const scored = (entry, { rules, worth }, isNumber) => {
  if (!rules.every((rule) => rule.test(entry.title) || rule.test(entry.text))) return 0;
  const inTitle = rules.filter((rule) => rule.test(entry.title)).length;
  const ofRow = isNumber ? 6 : -3;
  const length = Math.min(entry.text.length / 5000, 3);
  return 10 * worth + 4 * inTitle + (entry.row ? ofRow : 0) - length;
};

// A line of text around the first word that is found, which is marked.
const excerpt = (text, rules) => {
  const line = document.createElement("p");
  line.className = "context";
  const found = rules.map((rule) => text.match(rule)).find(Boolean);
  const start = found ? found.index : 0;
  const end = found ? start + found[0].length : 0;
  const from = Math.max(0, start - AROUND);
  const mark = document.createElement("mark");
  mark.textContent = text.slice(start, end);
  line.append(from ? "… " : "", text.slice(from, start), mark, text.slice(end, end + AROUND), " …");
  return line;
};

const item = ({ entry, reading }) => {
  const line = document.createElement("li");
  const link = document.createElement("a");
  link.href = `${entry.page}.html${entry.anchor ? `#${entry.anchor}` : ""}`;
  link.textContent = entry.title;
  line.append(link, excerpt(entry.text, reading.rules));
  return line;
};

const rowsOnScoreboard = (query, number) => {
  const line = document.createElement("p");
  const link = document.createElement("a");
  link.href = `scoreboard.html?q=${encodeURIComponent(query)}`;
  link.textContent = number === 1 ? "1 row of the scoreboard" : `${number} rows of the scoreboard`;
  const rest = number === 1 ? " holds it, with its verdict." : " hold it, each with its verdict.";
  line.append("Is a printed number right? ", link, rest);
  return line;
};

const show = (text) => {
  const query = text.trim().toLowerCase();
  const out = document.getElementById("search-results");
  const isNumber = /^[\d.,%\s-]+$/.test(query);
  const all = readings(query);
  const results = [];
  for (const [page, anchor, title, words] of window.bookTexts) {
    const entry = { page, anchor, title, text: words, row: page === "scoreboard" };
    const [best] = all
      .map((reading) => ({ entry, reading, score: scored(entry, reading, isNumber) }))
      .sort((a, b) => b.score - a.score);
    if (best.score > 0) results.push(best);
  }
  results.sort((a, b) => b.score - a.score);
  const rows = results.filter((result) => result.entry.row && result.entry.anchor).length;
  const status = document.createElement("p");
  status.className = "search-summary";
  const places = results.length === 1 ? "1 place has" : `${results.length} places have`;
  status.textContent = `${places} “${text}”`;
  if (results.length > MOST) status.textContent += `, the first ${MOST}:`;
  const list = document.createElement("ul");
  list.className = "search";
  list.append(...results.slice(0, MOST).map(item));
  out.replaceChildren(status, ...(rows && /\d/.test(query) ? [rowsOnScoreboard(text, rows)] : []), list);
};

// Sphinx's own search would find no number, and has no texts without a server.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  Search.performSearch = (query) => {
    const texts = document.createElement("script");
    texts.src = "_static/texts.js";
    texts.addEventListener("load", () => show(query));
    document.head.append(texts);
  };
});

// The filter of the scoreboard: words or numbers, and verdicts that are pressed.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("filter");
  if (!form) return;
  const field = form.querySelector("input");
  const chips = [...form.querySelectorAll("button")];
  const rows = [...document.querySelectorAll("#scoreboard tbody tr")];
  // What is folded below "More" is no reason to show a row.
  const folds = rows.map((row) => row.querySelector("details").textContent);
  const cells = rows.map((row) => [...row.cells].map((cell) => cell.textContent).join(" "));
  const texts = cells.map((text, k) => text.replace(folds[k], ""));
  const apply = () => {
    const [, { rules }] = readings(field.value.trim().toLowerCase());
    const pressed = chips.filter((chip) => chip.getAttribute("aria-pressed") === "true");
    const verdicts = pressed.flatMap((chip) => chip.dataset.status.split(" "));
    rows.forEach((row, k) => {
      const wanted = !verdicts.length || verdicts.includes(row.dataset.status);
      row.hidden = !(wanted && rules.every((rule) => rule.test(texts[k])));
    });
    const shown = rows.filter((row) => !row.hidden).length;
    form.querySelector("p").textContent = `${shown} of ${rows.length} rows`;
  };
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", chip.getAttribute("aria-pressed") !== "true");
      apply();
    });
  }
  field.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  field.value = new URLSearchParams(location.search).get("q") || "";
  const chip = document.getElementById(location.hash.slice(1));
  if (chips.includes(chip)) chip.setAttribute("aria-pressed", true);
  apply();
  document.querySelector("#scoreboard :target")?.scrollIntoView();
});
