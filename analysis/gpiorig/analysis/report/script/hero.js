// All packets, all steps: a row per packet. HeroInput adds mouse, fingers and keys.
const HERO_LEFT = 52, HERO_RIGHT = 10, HERO_FOOT = 24;

// The end of an axis of time: the longest packet, or less where a few take several times as long as the others.
const axisEnd = (sorted) => {
  const most = sorted[sorted.length - 1], usual = sorted[Math.floor(0.99 * (sorted.length - 1))];
  return (most > 2 * usual ? 1.3 * usual : most) || 1;
};

class Hero {
  // `group`: pictures of other runs, which have the same axis of time.
  constructor(root, packets, opened, group = null) {
    Object.assign(this, { root, packets, opened, group, rows: new Rows(packets), at: -1, step: -1, row: -1, drag: null });
    this.canvas = root.querySelector("canvas");
    this.tip = root.querySelector(".tip");
    this.live = root.querySelector(".live");
    this.note = root.querySelector(".hero-note");
    this.select = root.querySelector("select");
    packets.steps.forEach(([name], at) => this.select.append(new Option(name, at)));
    this.select.addEventListener("change", () => this.sort());
    repaints.push(() => this.fill());
    this.sort();
    new ResizeObserver(() => { if (this.room() !== this.wide) this.fill(); }).observe(this.canvas.parentElement);
    new HeroInput(this);
  }

  sort() {
    const by = this.select.value;
    this.order = this.packets.order(by === "delay" || by === "time" ? by : Number(by));
    this.at = this.row < 0 ? -1 : this.order.indexOf(this.row);
    this.show(0, this.packets.length);
  }

  // Sorts by a step; the packet in which it lasts longest is opened.
  sortBy(step) {
    this.select.value = step;
    this.sort();
    this.opened(this.order[this.order.length - 1]);
    this.root.scrollIntoView({ block: "start" });
  }

  // Shows the rows from one place of the order to another.
  show(from, to) {
    const span = Math.max(Math.min(to - from, this.packets.length), Math.min(5, this.packets.length));
    this.from = Math.round(Math.max(0, Math.min(from, this.packets.length - span)));
    this.to = Math.round(this.from + span);
    this.fill();
  }

  zoom(factor) {
    const span = (this.to - this.from) * factor, seen = this.at >= this.from && this.at < this.to;
    const place = seen ? (this.at - this.from + 0.5) / (this.to - this.from) : 0.5;
    const about = this.from + (this.to - this.from) * place;
    this.show(about - span * place, about + span * (1 - place));
  }

  // The time that the width shows, and how many packets are longer.
  reach() {
    const totals = Float64Array.from(this.order.subarray(this.from, this.to), (row) => this.packets.totals[row]).sort();
    this.span = this.group ? this.group.span(this) : axisEnd(totals);
    this.beyond = totals.length - totals.findLastIndex((total) => total <= this.span) - 1;
  }

  room() { return this.canvas.parentElement.clientWidth - HERO_LEFT - HERO_RIGHT; }

  fill() {
    this.wide = this.room();
    if (this.wide < 50) return; // folded away
    const most = (this.wide < 500 ? 340 : 460) / (this.group ? 2 : 1);
    this.high = Math.max(60, Math.min(most, 14 * (this.to - this.from)));
    const look = getComputedStyle(document.documentElement), colour = (name) => look.getPropertyValue(`--${name}`).trim();
    this.ink = { ink: colour("ink"), faint: colour("faint"), page: colour("page"), shade: colour("shade"), accent: colour("accent") };
    this.reach();
    const steps = this.packets.steps.map(([, , kind]) => pixelOf(colour(kind))), sharp = devicePixelRatio || 1;
    this.rows.fill(this.order, this.from, this.to, this.span, Math.round(this.wide * sharp),
      { steps, further: pixelOf(this.ink.shade) });
    this.canvas.width = Math.round((this.wide + HERO_LEFT + HERO_RIGHT) * sharp);
    this.canvas.height = Math.round((this.high + HERO_FOOT) * sharp);
    this.canvas.style.height = `${this.high + HERO_FOOT}px`;
    this.canvas.getContext("2d").setTransform(sharp, 0, 0, sharp, 0, 0);
    this.explain();
    this.paint();
  }

  explain() {
    const n = this.packets.length, all = this.packets.all, shown = this.to - this.from;
    const lines = [shown < n ? `Packets ${count(this.from + 1)} to ${count(this.to)} of ${count(n)}` : `${count(n)} packets`];
    if (this.rows.binned) lines.push(`a row shows one of ${count(Math.ceil(shown / this.rows.high))}, its grey end the longest of them`);
    else lines[0] += ", a row each";
    if (n < all) lines.push(`this file has ${count(n)} of the ${count(all)} packets, at equal distances in the order of their delays`);
    if (this.beyond) lines.push(`${count(this.beyond)} longer than the axis`);
    const by = this.select.selectedOptions[0].text;
    this.note.textContent = n === 1 ? "One packet."
      : `${lines.join("; ")}. Sorted by ${by}, ${this.select.value === "time" ? "first" : "shortest"} on top.`;
    Object.assign(this.canvas.dataset, { from: this.from, to: this.to });
  }

  y(place) { return (place - this.from) / (this.to - this.from) * this.high; }

  paint() {
    if (!this.ink) return;
    const context = this.canvas.getContext("2d"), { wide, high, ink } = this;
    context.clearRect(0, 0, wide + HERO_LEFT + HERO_RIGHT, high + HERO_FOOT);
    context.imageSmoothingEnabled = this.rows.high > high;
    context.imageSmoothingQuality = "high";
    context.drawImage(this.rows.buffer, HERO_LEFT, 0, wide, high);
    context.font = `11px ${getComputedStyle(this.canvas).fontFamily}`;
    this.axes(context);
    if (this.row >= 0) this.mark(context, this.order.indexOf(this.row), ink.faint);
    if (this.at >= 0) this.mark(context, this.at, ink.ink);
    if (this.drag) {
      const [top, foot] = [...this.drag].sort((a, b) => a - b);
      context.strokeStyle = ink.ink;
      context.lineWidth = 1.5;
      context.fillStyle = ink.page + "66";
      context.fillRect(HERO_LEFT, 0, wide, top);
      context.fillRect(HERO_LEFT, foot, wide, high - foot);
      context.strokeRect(HERO_LEFT, top, wide, foot - top);
    }
  }

  axes(context) {
    const { wide, high, ink } = this, period = this.packets.period;
    context.fillStyle = ink.faint;
    context.strokeStyle = ink.faint;
    context.lineWidth = 1;
    context.textBaseline = "alphabetic";
    for (const [ns, text] of ticks(0, this.span * period, Math.floor(wide / 88))) {
      const x = HERO_LEFT + ns / (this.span * period) * wide;
      context.beginPath();
      context.moveTo(x, high);
      context.lineTo(x, high + 5);
      context.stroke();
      context.textAlign = x > wide + HERO_LEFT - 20 ? "right" : "center";
      context.fillText(text, Math.min(x, wide + HERO_LEFT + HERO_RIGHT), high + 18);
    }
    context.textAlign = "right";
    const step = Math.max(1, tickStep(this.to - this.from, Math.max(2, high / 40)));
    for (let n = Math.ceil((this.from + 1) / step) * step || 1; n <= this.to; n += step) {
      context.fillText(count(n), HERO_LEFT - 8, Math.max(9, Math.min(high, this.y(n - 0.5) + 4)));
    }
  }

  // A frame around the row of a packet and an arrow at its left.
  mark(context, at, colour) {
    if (at < this.from || at >= this.to) return;
    const top = this.y(at), height = Math.max(3, this.high / (this.to - this.from)), middle = top + height / 2;
    const length = Math.min(1, this.packets.totals[this.order[at]] / this.span) * this.wide;
    for (const [line, ink] of [[3.5, this.ink.page], [1.5, colour]]) {
      context.strokeStyle = context.fillStyle = ink;
      context.lineWidth = line;
      context.strokeRect(HERO_LEFT, top, length, height);
    }
    context.beginPath();
    context.moveTo(HERO_LEFT - 1, middle);
    context.lineTo(HERO_LEFT - 7, middle - 4);
    context.lineTo(HERO_LEFT - 7, middle + 4);
    context.fill();
  }

  // The packet at a place, and one of its steps, as text: [packet, step].
  words(at, step) {
    const { packets } = this, row = this.order[at];
    const packet = `packet ${packets.name(row)}: ${packets.time(packets.totals[row])}`;
    if (step < 0) return [packet, ""];
    const length = packets.samples[step][row], share = Math.round(100 * length / packets.totals[row]);
    return [packet, `${packets.steps[step][0]}: ${packets.time(length)} (${share ? `${share} %` : "less than 1 %"})`];
  }

  // Moves the cursor to a place of the order and a step, without the pointer; the live region reports what is there.
  go(at, step) {
    this.at = Math.max(0, Math.min(at, this.packets.length - 1));
    this.step = Math.max(-1, Math.min(step, this.packets.steps.length - 1));
    const span = this.to - this.from;
    if (this.at < this.from) this.show(this.at, this.at + span);
    else if (this.at >= this.to) this.show(this.at + 1 - span, this.at + 1);
    else this.paint();
    const words = this.words(this.at, this.step).filter(Boolean);
    this.live.textContent = `${words.join("; ")}; place ${count(this.at + 1)} of ${count(this.packets.length)}`;
    const row = this.order[this.at], before = this.packets.samples.slice(0, Math.max(0, this.step)).map((column) => column[row]);
    this.hint(HERO_LEFT + before.reduce((a, b) => a + b, 0) / this.span * this.wide, this.y(this.at + 0.5), this.step);
  }

  // The tooltip at a point of the picture.
  hint(x, y, step) {
    const [packet, words] = this.words(this.at, step);
    this.tip.replaceChildren(Object.assign(document.createElement("b"), { textContent: packet }), words);
    this.tip.hidden = false;
    const room = this.canvas.clientWidth - this.tip.offsetWidth, below = y + 18 + this.tip.offsetHeight < this.high;
    this.tip.style.left = `${Math.max(0, Math.min(x + 14, room))}px`;
    this.tip.style.top = `${below ? y + 18 : Math.max(0, y - this.tip.offsetHeight - 12)}px`;
  }

  leave() {
    this.tip.hidden = true;
    this.at = -1;
    this.paint();
  }

  // Marks the packet that the viewer shows; -1 for none.
  choose(row) {
    this.row = row;
    this.paint();
  }
}
