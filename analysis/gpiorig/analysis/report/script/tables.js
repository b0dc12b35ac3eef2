// The table of steps: the most important at first, all on request, sorted by any column.
class StepTable {
  constructor(table) {
    this.table = table;
    this.groups = [...table.tBodies].map((body) => ({ body, values: JSON.parse(body.dataset.values) }));
    this.heads = [...table.tHead.rows[0].cells];
    this.heads.forEach((head, column) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: head.textContent });
      button.addEventListener("click", () => this.sort(column));
      head.replaceChildren(button);
    });
    if (table.querySelector("tbody.minor")) this.fold();
  }

  fold() {
    const button = Object.assign(document.createElement("button"), { type: "button" });
    const shown = this.table.querySelectorAll("tbody:not(.minor)").length;
    const show = (all) => {
      this.table.classList.toggle("folded", !all);
      button.setAttribute("aria-expanded", String(all));
      button.textContent = all ? `the ${shown} steps that matter most` : `all ${this.groups.length} steps`;
    };
    button.addEventListener("click", () => show(this.table.classList.contains("folded")));
    this.table.parentElement.after(button);
    show(false);
  }

  // Numbers begin with the largest; a second click turns the order round.
  sort(column) {
    const head = this.heads[column], words = head.classList.contains("words"), before = head.getAttribute("aria-sort");
    const up = before ? before === "descending" : words;
    const text = (group) => group.body.rows[0].cells[column].textContent;
    const compare = (a, b) => {
      const [one, other] = [a.values[column], b.values[column]];
      if (one === null && other === null) return words ? text(a).localeCompare(text(b)) : 0;
      if (one === null || other === null) return up === (one === null) ? 1 : -1; // unknown ones are last
      return one - other;
    };
    this.groups.sort((a, b) => (up ? 1 : -1) * compare(a, b));
    this.table.tFoot.before(...this.groups.map((group) => group.body));
    this.heads.forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
  }
}

document.querySelectorAll("table.steps").forEach((table) => new StepTable(table));
