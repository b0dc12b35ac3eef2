// Two cursors on a picture of time, and the time between them.
const CURSOR_REACH = 8; // pixels within which a cursor goes to the edge of a box

class Cursors {
  constructor(timeline) {
    Object.assign(this, { timeline, at: [null, null], last: 1 });
    this.text = timeline.root.querySelector(".cursors");
  }

  // Sets A and B in turn.
  next(instant) { this.set(1 - this.last, instant); }

  // Sets one at an instant; without a pointer A to the start of the named box and B to its end.
  set(which, instant) {
    const { span } = this.timeline;
    if (instant === null && !span) return;
    this.at[which] = instant === null ? span[which] : this.edge(instant);
    this.last = which;
    this.show();
  }

  clear() {
    this.at = [null, null];
    this.last = 1;
    this.show();
  }

  edge(instant) {
    const { instants, from, to, wide } = this.timeline, reach = CURSOR_REACH * (to - from) / wide;
    return instants.reduce((best, edge) => {
      const far = Math.abs(edge - instant);
      return far < Math.min(reach, best === instant ? Infinity : Math.abs(best - instant)) ? edge : best;
    }, instant);
  }

  show() {
    const [a, b] = this.at, { period } = this.timeline, parts = [];
    if (a !== null) parts.push(`A ${time(a, period)}`);
    if (b !== null) parts.push(`B ${time(b, period)}`);
    if (a !== null && b !== null) {
      parts.push(`B − A ${time(b - a, period)}`);
      if (a !== b) parts.push(`${(1e9 / Math.abs(b - a)).toPrecision(4)} per second`);
    }
    this.text.textContent = parts.join("; ");
    this.timeline.render();
  }

  draw(svg, x, height) {
    this.at.forEach((at, which) => {
      if (at === null || at < this.timeline.from || at > this.timeline.to) return;
      draw(svg, "line", { x1: x(at), x2: x(at), y1: 0, y2: height, class: "cursor" });
      draw(svg, "text", { x: x(at) + 3, y: 10, class: "cursor" }, "AB"[which]);
    });
  }
}
