// The page of a capture that runs: its table, and each packet that was counted as a further row.
const POLL_MS = 2000, KEPT = 10000, ROLLING = 400; // packets on the page, and those that are in view at first

// Adds packets to others; of too many the oldest go.
const appended = (packets, more) => {
  const last = (old, further) => {
    const joined = new Float64Array(old.length + further.length);
    joined.set(old);
    joined.set(further, old.length);
    return joined.subarray(Math.max(0, joined.length - KEPT));
  };
  const joined = Object.assign(Object.create(Packets.prototype), packets);
  for (const name of ["ids", "starts", "totals"]) joined[name] = last(packets[name], more[name]);
  joined.samples = packets.samples.map((column, at) => last(column, more.samples[at]));
  joined.length = joined.ids.length;
  joined.all = packets.all + more.all;
  joined.main = Math.max(0, joined.widest());
  return joined;
};

class Live {
  constructor(root) {
    Object.assign(this, { root, after: 0, steps: "", opened: null });
    this.section = document.querySelector(".hero").closest("section");
    this.section.hidden = true;
    this.poll();
  }

  async poll() {
    try {
      const answer = await served.get(this.root, `live?after=${this.after}`);
      this.show(answer);
      if (answer.columns) await this.grow(answer);
      if (answer.last) return;
    } catch (error) {
      this.root.querySelector(".head").textContent = `No answer: ${error.message}`;
    }
    setTimeout(() => this.poll(), POLL_MS);
  }

  show({ head, sentence, failed, tables, remarks, last }) {
    const make = (name, text, look = "") => Object.assign(document.createElement(name), { textContent: text, className: look });
    this.root.querySelector(".head").textContent = head;
    Object.assign(this.root.querySelector(".sentence"), { textContent: sentence, hidden: !sentence });
    this.root.querySelector(".failed").replaceChildren(...failed.map((text) => make("p", text, "bad")));
    this.root.querySelector(".remarks").textContent = remarks.join(" ");
    this.root.querySelector(".ended").hidden = !last;
    this.root.querySelectorAll("table").forEach((table, at) => {
      const [names, ...rows] = tables[at] || [[]];
      const line = (cells, name) => {
        const row = document.createElement("tr");
        row.append(...cells.map((cell, place) => make(name, cell, place ? "" : "words")));
        return row;
      };
      table.parentElement.hidden = !tables[at];
      table.tHead.replaceChildren(line(names, "th"));
      table.tBodies[0].replaceChildren(...rows.map((row) => line(row, "td")));
    });
  }

  async grow({ columns, after }) {
    const steps = JSON.stringify(columns.header.steps), more = await Packets.read(columns.header, columns.letters);
    this.after = after;
    this.section.hidden = false;
    if (!this.opened) {
      this.section.querySelector("select").value = "time";
      this.opened = new Opened(this.section.querySelector(".hero"), more);
      this.opened.hero.show(more.length - ROLLING, more.length);
    } else if (steps === this.steps) this.take(appended(this.opened.packets, more), more.length);
    else this.replace(more);
    this.steps = steps;
    if (this.opened.hero.row < 0) this.opened.open(this.opened.packets.length - 1, false);
  }

  // Shows further packets: the newest, or all if all were in view; a part that was zoomed to stays in view.
  take(packets, added) {
    const { opened } = this, { hero } = opened, { from, to } = hero, before = opened.packets.length;
    const dropped = before + added - packets.length;
    Object.assign(hero, { packets, rows: new Rows(packets), row: Math.max(-1, hero.row - dropped) });
    opened.packets = packets;
    hero.sort();
    if (from === 0 && before > ROLLING) return;
    const span = to === before ? Math.max(to - from, ROLLING) : to - from, end = to === before ? packets.length : to - dropped;
    hero.show(end - span, end);
  }

  // Packets with other steps than before: those of before are no longer shown.
  replace(packets) {
    const { hero } = this.opened;
    [...hero.select.options].slice(2).forEach((option) => option.remove());
    packets.steps.forEach(([name], at) => hero.select.append(new Option(name, at)));
    Object.assign(hero, { packets, rows: new Rows(packets), row: -1 });
    this.opened.packets = packets;
    hero.sort();
  }
}

const growing = document.querySelector(".live-table");
if (growing) new Live(growing);
