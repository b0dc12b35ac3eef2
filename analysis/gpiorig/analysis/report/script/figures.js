// Figures that lead to packets: the one nearest to a point is named, and opened by a click.
class LeadingFigure {
  constructor(svg, packets, open) {
    Object.assign(this, { svg, packets, open, by: svg.dataset.by, origin: Number(svg.dataset.origin) });
    this.place = svg.dataset.place.split(" ").map(Number);
    this.limits = svg.dataset.limits.split(" ").map(Number);
    this.tip = Object.assign(document.createElement("div"), { className: "tip", hidden: true });
    svg.closest("figure").append(this.tip);
    svg.addEventListener("pointermove", (event) => this.hover(event));
    svg.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    svg.addEventListener("click", (event) => {
      const row = this.nearest(event);
      if (row >= 0) this.open(row);
    });
  }

  // The row of the packet nearest to the pointer, -1 outside of the diagram.
  nearest(event) {
    const box = this.svg.getBoundingClientRect(), [left, foot, right, top] = this.place, [x0, x1, y0, y1] = this.limits;
    const across = ((event.clientX - box.left) / box.width - left) / (right - left);
    const up = (1 - (event.clientY - box.top) / box.height - foot) / (top - foot);
    if (across < 0 || across > 1 || up < 0 || up > 1) return -1;
    const { starts, totals, period } = this.packets, delay = 1e6 / period, second = 1e9 / period;
    const distance = this.by === "delay"
      ? (row) => Math.abs(totals[row] - (x0 + across * (x1 - x0)) * delay)
      : (row) => Math.hypot(
        (((starts[row] - this.origin) / second - x0) / (x1 - x0) - across) * box.width * (right - left),
        ((totals[row] / delay - y0) / (y1 - y0) - up) * box.height * (top - foot),
      );
    let best = -1;
    for (let row = 0, least = Infinity; row < totals.length; row += 1) {
      const far = distance(row);
      if (far < least) [least, best] = [far, row];
    }
    return best;
  }

  hover(event) {
    const row = this.nearest(event), figure = this.tip.parentElement.getBoundingClientRect();
    this.tip.hidden = row < 0;
    this.svg.style.cursor = row < 0 ? "" : "pointer";
    if (row < 0) return;
    this.tip.textContent = `packet ${this.packets.name(row)}: ${this.packets.time(this.packets.totals[row])}`;
    this.tip.style.left = `${Math.min(event.clientX - figure.left + 14, figure.width - this.tip.offsetWidth)}px`;
    this.tip.style.top = `${event.clientY - figure.top + 16}px`;
  }
}
