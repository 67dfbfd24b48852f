// What is folded is printed open, and a row that is asked for is shown in full.
window.addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
});

// Whoever has no mouse can scroll what is wide.
window.addEventListener("DOMContentLoaded", () => {
  const wide = ".cell_output .output, .cell_input .highlight, pre";
  for (const box of document.querySelectorAll(wide)) box.tabIndex = 0;
  // The label of a fold is its name.
  for (const fold of document.querySelectorAll("summary")) fold.removeAttribute("aria-label");
  // On a telephone a picture is as wide as the screen; alone it can be enlarged.
  for (const picture of document.querySelectorAll(".bd-article figure img, .cell_output img")) {
    const link = document.createElement("a");
    link.className = "open-picture";
    link.href = picture.src;
    link.textContent = "Open the picture";
    picture.after(link);
  }
});
