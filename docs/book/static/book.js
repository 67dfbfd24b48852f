// What is folded is printed open, and a row that is asked for is shown in full.
window.addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
});

// Whoever has no mouse can scroll what is wide.
window.addEventListener("DOMContentLoaded", () => {
  const wide = ".cell_output .output, .cell_input .highlight, pre, figure";
  for (const box of document.querySelectorAll(wide)) box.tabIndex = 0;
  // The label of a fold is its name.
  for (const fold of document.querySelectorAll("summary")) fold.removeAttribute("aria-label");
});
