// Folded sections: a link to one opens it, and paper shows all.
const folds = [...document.querySelectorAll("details.fold")];
const unfold = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let element = target && (target.querySelector(":scope > details.fold") || target); element; element = element.parentElement) {
    if (element.tagName === "DETAILS") element.open = true;
  }
};
addEventListener("hashchange", unfold);
unfold();
let folded = [];
addEventListener("beforeprint", () => {
  folded = folds.filter((each) => !each.open);
  folded.forEach((each) => { each.open = true; });
});
addEventListener("afterprint", () => folded.forEach((each) => { each.open = false; }));
