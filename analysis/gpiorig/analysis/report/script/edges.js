// The edges of all channels in any window, as a logic analyzer shows them; the server sends what a window needs.
const TRACK = 20, HEAD = 18, SCALE = 26;
const AGAIN_MS = 700; // until what the server has not read or decoded so far is asked for again

class Edges extends Zoomed {
  constructor(root) {
    super();
    const { start, end, period } = root.dataset;
    Object.assign(this, { root, period: Number(period), least: Number(start), most: Number(end), data: null, named: null });
    [this.canvas, this.tip, this.readout] = ["canvas", ".tip", ".readout"].map((name) => root.querySelector(name));
    this.cursors = new Cursors(this);
    this.input = new TimelineInput(this);
    root.querySelectorAll("[data-do]").forEach((button) => button.addEventListener("click", () => {
      if (button.dataset.do === "all") this.showAll(); else this.zoom(button.dataset.do === "in" ? 0.5 : 2, 0.5);
    }));
    root.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.jump(root.querySelector("input").value);
    });
    repaints.push(() => this.render());
    new ResizeObserver(() => this.render()).observe(this.canvas.parentElement);
    [this.from, this.to] = [this.least, this.most];
  }

  showAll() { this.look(this.least, this.most); }

  // Shows a packet, with some time before and after it.
  around(packet) {
    const start = packet.start * this.period, margin = Math.max(packet.total * 0.05, 20 * this.period);
    this.look(start - margin, start + packet.total + margin);
  }

  // Shows an instant: 1.25 s, 300 ms, or a sample, 1200000sa.
  jump(text) {
    const [, number, unit] = text.trim().match(/^([\d.]+)\s*(s|ms|us|µs|ns|sa)$/) || [];
    const scale = { s: 1e9, ms: 1e6, us: 1e3, µs: 1e3, ns: 1, sa: this.period }[unit], at = Number(number) * scale;
    if (!(at >= this.least && at <= this.most)) {
      this.readout.textContent = `Give an instant of the recording, up to ${time(this.most, this.period)}, such as 1.25 s, 300 ms or 1200000sa.`;
      return;
    }
    const half = Math.min(this.to - this.from, 1e6) / 2;
    this.cursors.set(0, at);
    this.look(at - half, at + half);
    this.canvas.focus({ preventScroll: true });
  }

  // Asks for a window around the one that is shown, unless what is here has it in this detail.
  need() {
    const span = this.to - this.from, { data } = this, detail = span / this.wide;
    if (data && data.from <= this.from && data.to >= this.to && (data.exact || (data.to - data.from) / data.bins <= detail * 1.01)) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(this.from - span / 2, this.to + span / 2), 40);
  }

  async ask(from, to) {
    this.request?.abort();
    this.request = new AbortController();
    try {
      const query = `from_ns=${Math.max(this.least, from)}&to_ns=${Math.min(this.most, to)}&bins=${Math.ceil(this.wide) * 2}`;
      const answer = await served.get(this.root, `edges?${query}`, this.request.signal);
      this.data = { ...answer, from: answer.start * this.period, to: answer.end * this.period };
      this.tracks();
      this.render();
      const { read, decoded } = answer;
      clearTimeout(this.again);
      if (read !== undefined || decoded?.ended === false) this.again = setTimeout(() => this.ask(from, to), AGAIN_MS);
    } catch (error) {
      if (error.name !== "AbortError") this.readout.textContent = error.message;
    }
  }

  // The place of each channel, below the name of its node.
  tracks() {
    this.rows = [];
    this.heads = [];
    let y = 0, last = "";
    this.data.channels.forEach((channel) => {
      const dot = channel.name.indexOf("."), node = dot < 0 ? "" : channel.name.slice(0, dot);
      if (node !== last) {
        this.heads.push([y, node]);
        y += HEAD;
        last = node;
      }
      this.rows.push([y, channel.name.slice(dot + 1), channel]);
      y += TRACK;
    });
    this.annotations = (this.data.decoded?.rows ?? []).map((row) => [(y += TRACK) - TRACK, row.name, row]);
    this.high = y;
  }

  render() {
    const width = this.canvas.parentElement.clientWidth;
    if (!width) return; // folded away
    this.left = Math.min(170, Math.max(92, width * 0.17));
    this.wide = width - this.left - 8;
    this.need();
    if (!this.data) return;
    const sharp = devicePixelRatio || 1, look = getComputedStyle(document.documentElement), context = this.canvas.getContext("2d");
    this.colour = (name) => look.getPropertyValue(`--${name}`).trim();
    this.canvas.width = Math.round(width * sharp);
    this.canvas.height = Math.round((this.high + SCALE) * sharp);
    this.canvas.style.height = `${this.high + SCALE}px`;
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    context.font = `11px ${getComputedStyle(this.canvas).fontFamily}`;
    this.x = (ns) => this.left + (ns - this.from) / (this.to - this.from) * this.wide;
    this.axis(context);
    this.labels(context, width);
    context.save();
    context.beginPath();
    context.rect(this.left, 0, this.wide, this.high);
    context.clip();
    this.rows.forEach(([y, , channel]) => (this.data.exact ? this.lines(context, y, channel) : this.blocks(context, y, channel)));
    this.annotations.forEach(([y, , row]) => (row.spans ? this.texts(context, y, row.spans) : this.density(context, y, row)));
    this.lost(context);
    context.restore();
    this.marks(context);
    this.explain();
  }

  explain() {
    const { data, root } = this, { remark } = data.decoded ?? {};
    let detail = data.exact ? "every change" : `${count(data.changes)} changes, more than fit: zoom in for each`;
    if (data.read !== undefined) detail += `; read up to ${time(data.read * this.period, this.period)} so far, grey beyond`;
    if (remark) detail += `; decoders: ${remark}`;
    root.querySelector(".window").textContent = `${time(this.from, this.period)} to ${time(this.to, this.period)}: ${detail}`;
    Object.assign(this.canvas.dataset, { from: this.from, to: this.to, exact: data.exact });
  }

  axis(context) {
    context.strokeStyle = this.colour("grid");
    context.lineWidth = 1;
    context.fillStyle = this.colour("faint");
    for (const [ns, text] of ticks(this.from, this.to, Math.floor(this.wide / 96))) {
      const x = this.x(ns), last = x > this.left + this.wide - 40;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, this.high + 4);
      context.stroke();
      context.textAlign = last ? "right" : "center";
      context.fillText(text, Math.min(x, this.left + this.wide + 6), this.high + SCALE - 8);
    }
  }

  labels(context, width) {
    context.textAlign = "left";
    context.fillStyle = this.colour("ink");
    const { font } = context;
    context.font = `bold ${font}`;
    this.heads.forEach(([y, node]) => context.fillText(this.fit(node, width), 4, y + 13));
    context.font = font;
    context.textAlign = "right";
    [...this.rows, ...this.annotations].forEach(([y, name]) => context.fillText(this.fit(name, this.left * 0.95), this.left - 6, y + 14));
  }

  // Every change of a channel, as a line.
  lines(context, y, { level, edges }) {
    const top = y + 3, foot = y + TRACK - 3, first = this.data.start;
    let high = level, place = 0;
    const at = (edge) => (first + edge) * this.period;
    while (place < edges.length && at(edges[place]) < this.from) { place += 1; high = 1 - high; }
    context.strokeStyle = this.colour("accent");
    context.lineWidth = 1.3;
    context.beginPath();
    context.moveTo(this.left, high ? top : foot);
    for (; place < edges.length && at(edges[place]) <= this.to; place += 1) {
      const x = this.x(at(edges[place]));
      context.lineTo(x, high ? top : foot);
      high = 1 - high;
      context.lineTo(x, high ? top : foot);
    }
    context.lineTo(this.left + this.wide, high ? top : foot);
    context.stroke();
  }

  // Annotations of a decoder, each a box with its text.
  texts(context, y, spans) {
    const top = y + 2, high = TRACK - 4;
    context.textAlign = "center";
    spans.forEach(([start, end, text]) => {
      const [left, right] = [start, end].map((sample) => this.x((this.data.start + sample) * this.period));
      if (right < this.left || left > this.left + this.wide) return;
      context.fillStyle = this.colour("shade");
      context.fillRect(left, top, Math.max(1, right - left), high);
      context.strokeStyle = this.colour("faint");
      context.lineWidth = 1;
      context.strokeRect(left, top, Math.max(1, right - left), high);
      const [from, to] = [Math.max(left, this.left), Math.min(right, this.left + this.wide)], fitting = this.fitted(context, text, to - from - 4);
      context.fillStyle = this.colour("ink");
      if (fitting) context.fillText(fitting, (from + to) / 2, y + 14);
    });
  }

  // As much of a text as a width has room for, or nothing.
  fitted(context, text, room) {
    if (room < 8 || context.measureText(text).width <= room) return room < 8 ? "" : text;
    const share = room / context.measureText(text).width;
    return share * text.length < 4 ? "" : `${text.slice(0, Math.floor(share * text.length) - 1)}…`;
  }

  // Where a decoder has annotations, of more than fit.
  density(context, y, { density }) {
    this.blocks(context, y, { bins: density }, "faint");
  }

  // A channel in bins: low, high, both, or not known so far.
  blocks(context, y, { bins }, colour = "accent") {
    const length = (this.data.to - this.data.from) / bins.length, top = y + 3, high = TRACK - 6;
    for (let from = 0, to; from < bins.length; from = to) {
      for (to = from + 1; to < bins.length && bins[to] === bins[from];) to += 1;
      const left = this.x(this.data.from + from * length), right = this.x(this.data.from + to * length);
      const place = { 0: [top + high - 1.3, 1.3], 1: [top, 1.3], x: [top, high], "?": [top, high] }[bins[from]];
      context.fillStyle = this.colour(bins[from] === "?" ? "shade" : colour);
      if (place && right >= this.left && left <= this.left + this.wide) context.fillRect(left, place[0], Math.max(0.5, right - left), place[1]);
    }
  }

  lost(context) {
    context.fillStyle = this.colour("shade");
    for (const [from, to] of this.data.gaps) {
      const left = this.x(from * this.period);
      context.fillRect(left, 0, Math.max(1, this.x(to * this.period) - left), this.high);
    }
  }

  marks(context) {
    context.strokeStyle = context.fillStyle = this.colour("ink");
    context.lineWidth = 1.5;
    context.setLineDash([4, 2]);
    context.textAlign = "left";
    this.cursors.at.forEach((at, which) => {
      if (at === null || at < this.from || at > this.to) return;
      context.beginPath();
      context.moveTo(this.x(at), 0);
      context.lineTo(this.x(at), this.high);
      context.stroke();
      context.fillText("AB"[which], this.x(at) + 3, 10);
    });
    context.setLineDash([]);
  }

  // For the cursors: the changes of the channel at the pointer, and the pulse there, else the window.
  get instants() {
    if (!this.data?.exact || !this.channel) return [];
    return this.channel.edges.map((edge) => (this.data.start + edge) * this.period);
  }

  get span() { return this.named || [this.from, this.to]; }

  point(event) {
    const y = event.clientY - this.canvas.getBoundingClientRect().top, here = ([top]) => y >= top && y < top + TRACK;
    const row = this.rows?.find(here);
    this.channel = row && row[2];
    this.named = null;
    if (this.annotated(event, this.annotations?.find(here))) return;
    if (!row) {
      this.tip.hidden = true;
      return;
    }
    const at = this.input.instant(event.clientX), lines = [`at ${time(at, this.period)}`];
    if (this.data.exact) {
      const { instants } = this, next = instants.findIndex((instant) => instant > at), before = next < 0 ? instants.length : next;
      const level = (this.channel.level + before) % 2 ? "high" : "low", ends = [instants[before - 1], instants[before]];
      lines.unshift(level);
      if (ends.every((end) => end !== undefined)) {
        this.named = ends;
        lines[0] += ` for ${time(ends[1] - ends[0], this.period)}`;
      }
    }
    this.hint(event, this.channel.name, lines.join(", "));
    this.readout.textContent = `${this.channel.name}: ${lines.join(", ")}`;
  }

  // Names the annotation at the pointer; false without one.
  annotated(event, row) {
    const at = this.input.instant(event.clientX) / this.period - (this.data?.start ?? 0);
    const span = row?.[2].spans?.find(([start, end]) => at >= start && at <= end);
    if (!span) return false;
    this.named = span.slice(0, 2).map((sample) => (this.data.start + sample) * this.period);
    const text = `${span[2]}, ${time(this.named[1] - this.named[0], this.period)} from ${time(this.named[0], this.period)}`;
    this.hint(event, row[1], text);
    this.readout.textContent = `${row[1]}: ${text}`;
    return true;
  }

  // Moves to the next change of a channel: of the one at the pointer, or of any.
  next(by) {
    const middle = (this.from + this.to) / 2, all = this.channel ? this.instants : this.everyInstant();
    const ahead = all.filter((instant) => by * (instant - middle) > this.period / 2);
    if (!ahead.length) return;
    const to = by > 0 ? Math.min(...ahead) : Math.max(...ahead);
    this.move((to - middle) / (this.to - this.from));
    this.readout.textContent = `change at ${time(to, this.period)}`;
  }

  everyInstant() {
    if (!this.data?.exact) return [];
    return this.data.channels.flatMap(({ edges }) => edges.map((edge) => (this.data.start + edge) * this.period));
  }
}

const panels = [...document.querySelectorAll(".edges")].map((root) => new Edges(root));
// The edges of the run that an element belongs to.
const edgesOf = (element) => panels.find(({ root }) => served.of(root) === served.of(element));
onOpened.push(({ packets, viewer }, row) => {
  edgesOf(viewer.root)?.around({ start: packets.starts[row], total: viewer.packet.total });
});
