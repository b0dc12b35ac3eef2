// The viewer: the timeline of one packet, which can be zoomed.
const LANE = 19, NODE = 17, AXIS = 26;
const INNER = 1, OUTER = 2; // levels of boxes that are spans; the others are steps

class Timeline extends Zoomed {
  constructor(root) {
    super();
    this.root = root;
    this.packets = JSON.parse(root.querySelector("script").textContent);
    this.canvas = root.querySelector(".timeline");
    this.readout = root.querySelector(".readout");
    this.buttons = [...root.querySelectorAll(".which")];
    this.opened = () => {}; // called with a packet that a button has opened
    this.buttons.forEach((button, at) => button.addEventListener("click", () => this.show(at)));
    root.querySelectorAll("[data-do]").forEach((button) => button.addEventListener("click", () => {
      if (button.dataset.do === "all") this.showAll(); else this.zoom(button.dataset.do === "in" ? 0.5 : 2, 0.5);
    }));
    this.tip = root.querySelector(".tip");
    this.cursors = new Cursors(this);
    this.minimap = new Minimap(this);
    new TimelineInput(this);
    new ResizeObserver(() => this.render()).observe(this.canvas);
    if (this.packets.length) this.open(this.packets[0]);
  }

  show(at) {
    this.open(this.packets[at]);
    this.opened(this.packet);
  }

  // Shows a packet: one of its own, of which all layers are known, or another one.
  open(packet) {
    this.buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(this.packets[i] === packet)));
    this.take(packet);
    this.showAll();
  }

  take(packet) {
    this.packet = packet;
    this.named = -1;
    this.stack();
    this.root.querySelector(".packet-text").textContent = packet.text;
    const margin = Math.max(packet.total, packet.period) * 0.02, ends = packet.boxes.map((box) => box[1] + box[2]);
    const least = Math.min(0, ...packet.boxes.map((box) => box[1])) - margin, most = Math.max(packet.total, ...ends) + margin;
    [this.least, this.most] = packet.window || [least, most];
  }

  // The place of each lane; the name of a node is above its first one.
  stack() {
    let y = 0;
    this.tops = [];
    this.names = [];
    this.packet.lanes.forEach(([node], at) => {
      if (node && (at === 0 || this.packet.lanes[at - 1][0] !== node)) {
        this.names.push([y, node]);
        y += NODE;
      }
      this.tops.push(y);
      y += LANE;
    });
    this.high = y;
  }

  showAll() { this.look(-this.packet.total * 0.02 - this.packet.period, this.packet.total * 1.02 + this.packet.period); }

  // For the cursors: the instants that are near to them, and the box that is named.
  get period() { return this.packet.period; }

  get instants() { return this.packet.boxes.flatMap(([, start, length]) => [start, start + length]); }

  get span() {
    const box = this.packet.boxes[this.named];
    return box && [box[1], box[1] + box[2]];
  }

  next(by) {
    const order = this.packet.boxes.map((box, at) => at).sort((a, b) => this.packet.boxes[a][1] - this.packet.boxes[b][1]);
    const seen = order.filter((at) => {
      const [, start, length] = this.packet.boxes[at];
      return start + length >= this.from && start <= this.to;
    });
    if (!seen.length) return;
    const at = seen.indexOf(this.named);
    this.tell(seen[at < 0 ? (by > 0 ? 0 : seen.length - 1) : (at + by + seen.length) % seen.length]);
  }

  // The text of a box, below the timeline and, for a pointer, at the pointer.
  tell(at, event) {
    if (event) this.hint(event, this.packet.boxes[at][3], this.words(at));
    if (at === this.named) return;
    this.named = at;
    const [lane, start, length, name] = this.packet.boxes[at], [node, label] = this.packet.lanes[lane];
    const where = node ? `${node}, ${label}` : label, period = this.packet.period;
    const when = length ? `starts at ${time(start, period)}, lasts ${time(length, period)}` : `at ${time(start, period)}`;
    this.readout.textContent = `${name} (${where}): ${when}`;
    this.canvas.querySelectorAll(".named").forEach((box) => box.classList.remove("named"));
    const box = this.canvas.querySelector(`[data-box="${at}"]`);
    if (box) box.classList.add("named");
  }

  point(event) {
    const box = event.target.dataset && event.target.dataset.box;
    if (box === undefined) this.tip.hidden = true;
    else this.tell(Number(box), event);
  }

  words(at) {
    const [, start, length] = this.packet.boxes[at], { period, total } = this.packet;
    if (!length) return `at ${time(start, period)}`;
    return `${time(length, period)}, ${Math.round(100 * length / total)} % of the packet; starts at ${time(start, period)}`;
  }

  render() {
    const width = this.canvas.clientWidth;
    if (!width || !this.packet) return;
    const { lanes, boxes, period } = this.packet, span = this.to - this.from;
    this.left = Math.min(170, Math.max(92, width * 0.17));
    this.wide = width - this.left - 8;
    const height = this.high + AXIS;
    const svg = document.createElementNS(SVG, "svg");
    for (const [key, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, height, role: "img" })) {
      svg.setAttribute(key, value);
    }
    draw(svg, "title", {}, this.packet.text);
    const x = (ns) => this.left + (ns - this.from) / span * this.wide;
    lanes.forEach(([, label], at) => {
      const top = this.tops[at];
      if (at % 2) draw(svg, "rect", { x: 0, y: top, width, height: LANE, class: "lane" });
      draw(svg, "text", { x: this.left - 6, y: top + 13, "text-anchor": "end" }, this.fit(label, this.left * 0.95));
    });
    this.axis(svg, x, height);
    this.names.forEach(([y, node]) => draw(svg, "text", { x: 4, y: y + 13, class: "node" }, this.fit(node, width)));
    boxes.forEach(([lane, start, length, name, look, level], at) => {
      if (start + length < this.from || start > this.to) return;
      const from = Math.max(x(start), this.left), to = Math.min(x(start + length), this.left + this.wide);
      const inner = level === INNER, top = this.tops[lane] + (inner ? 5 : 2), wide = Math.max(1, to - from);
      const outer = level === OUTER ? " outer" : "", mark = at === this.named ? " named" : "";
      draw(svg, "rect", {
        x: from.toFixed(2), y: top, width: wide.toFixed(2), height: inner ? LANE - 10 : LANE - 4,
        class: `box ${look}${outer}${mark}`, "data-box": at,
      });
    });
    this.texts(svg, x);
    this.cursors.draw(svg, x, height - AXIS);
    this.minimap.draw();
    this.canvas.replaceChildren(svg);
    this.canvas.dataset.from = this.from;
    this.canvas.dataset.to = this.to;
    this.canvas.dataset.period = period;
  }

  texts(svg, x) {
    const right = this.left + this.wide;
    for (const [lane, start, length, name, look, level] of this.packet.boxes) {
      const from = Math.max(x(start), this.left), to = Math.min(x(start + length), right);
      // Names of outer boxes end where the first inner box begins.
      const inside = level !== OUTER ? [] : this.packet.boxes.filter((b) => b[5] === INNER && b[0] === lane && b[1] >= start && b[1] < start + length);
      const end = Math.min(to, ...inside.map((b) => x(b[1])).filter((at) => at > from));
      const timed = `${name} ${brief(length)}`, text = end - from < timed.length * 6.1 + 6 ? name : timed;
      if (end - from < text.length * 6.1 + 6 || start > this.to || inside.some((b) => x(b[1]) <= from && x(b[1] + b[2]) > from)) continue;
      // An outer box lets the page through: its name has the page's own ink.
      const on = level === OUTER ? "" : ` on-${look}`;
      draw(svg, "text", { x: from + 3, y: this.tops[lane] + 13, class: `in-box${on}` }, text);
    }
  }

  axis(svg, x, height) {
    for (const [ns, text] of ticks(this.from, this.to, Math.floor(this.wide / 88))) {
      const at = x(ns), edge = at > this.left + this.wide - 30 ? "end" : "middle";
      draw(svg, "line", { x1: at, x2: at, y1: 0, y2: height - AXIS + 4, class: "grid" });
      draw(svg, "text", { x: Math.min(at, this.left + this.wide + 6), y: height - 7, "text-anchor": edge, class: "tick" }, text);
    }
  }
}
