// The complete packet as a strip above its timeline, with the part that is shown; dragging moves it.
const STRIP = 14;

class Minimap {
  constructor(timeline) {
    this.timeline = timeline;
    this.strip = timeline.root.querySelector(".minimap");
    this.strip.addEventListener("pointerdown", (event) => {
      this.strip.setPointerCapture(event.pointerId);
      this.go(event);
    });
    this.strip.addEventListener("pointermove", (event) => { if (event.buttons) this.go(event); });
  }

  // Shows the part around the pointer.
  go(event) {
    const { timeline } = this, { left } = this.strip.getBoundingClientRect(), half = (timeline.to - timeline.from) / 2;
    const share = (event.clientX - left - timeline.left) / timeline.wide;
    const at = timeline.least + Math.max(0, Math.min(1, share)) * (timeline.most - timeline.least);
    timeline.look(at - half, at + half);
  }

  draw() {
    const { packet, left, wide, least, most, from, to } = this.timeline, width = left + wide + 8;
    const svg = document.createElementNS(SVG, "svg"), x = (ns) => left + (ns - least) / (most - least) * wide;
    svg.setAttribute("viewBox", `0 0 ${width} ${STRIP}`);
    for (const [, start, length, , look, level] of packet.boxes) {
      if (level) continue;
      draw(svg, "rect", { x: x(start), width: Math.max(0.3, x(start + length) - x(start)), y: 4, height: STRIP - 8, class: look });
    }
    draw(svg, "rect", { x: x(from), width: Math.max(3, x(to) - x(from)), y: 1, height: STRIP - 2, class: "window" });
    this.strip.replaceChildren(svg);
  }
}
