// Mouse, fingers and keys on a picture of time: the timeline of a packet, or edges.
class TimelineInput {
  constructor(timeline) {
    this.timeline = timeline;
    this.pointers = new Map();
    this.at = null; // where the pointer is, for the keys of the cursors
    const { canvas } = timeline;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("dblclick", () => timeline.showAll());
    canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse" && event.button) return;
      this.pointers.set(event.pointerId, event.clientX);
      this.travelled = 0;
    });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, (event) => {
        this.pointers.delete(event.pointerId);
        canvas.classList.remove("moving");
      });
    }
    canvas.addEventListener("pointerleave", () => {
      this.at = null;
      timeline.tip.hidden = true;
    });
    canvas.addEventListener("click", (event) => {
      if (this.travelled >= 4) return;
      if (event.shiftKey) timeline.cursors.next(this.instant(event.clientX));
      else timeline.point(event);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  // The wheel alone scrolls the page; with Ctrl, as of a pinch on a touchpad, it zooms; with Shift it moves.
  wheel(event) {
    const { timeline } = this, pixels = event.deltaMode === 1 ? 16 : 1;
    if (event.ctrlKey || event.metaKey) {
      const factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY * pixels * 0.002)));
      timeline.zoom(factor, timeline.place(event.clientX));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      timeline.move((event.deltaX || event.deltaY) * pixels / timeline.wide);
    } else return;
    event.preventDefault();
  }

  instant(x) { return this.timeline.from + (this.timeline.to - this.timeline.from) * this.timeline.place(x); }

  move(event) {
    const { timeline } = this;
    this.at = this.instant(event.clientX);
    if (!this.pointers.has(event.pointerId)) {
      if (event.pointerType === "mouse") timeline.point(event);
      return;
    }
    const before = [...this.pointers.values()];
    const by = event.clientX - this.pointers.get(event.pointerId);
    this.pointers.set(event.pointerId, event.clientX);
    this.travelled += Math.abs(by);
    if (before.length > 1) {
      this.pinch(before, [...this.pointers.values()]);
    } else if (this.travelled >= 4) {
      timeline.canvas.setPointerCapture(event.pointerId);
      timeline.canvas.classList.add("moving");
      timeline.tip.hidden = true;
      timeline.move(-by / timeline.wide);
    }
  }

  pinch(before, after) {
    const { timeline } = this, [was, is] = [before, after].map((xs) => Math.max(12, Math.abs(xs[0] - xs[1])));
    const middle = (xs) => timeline.place((xs[0] + xs[1]) / 2), shift = middle(before) - middle(after);
    timeline.zoom(was / is, middle(after));
    timeline.move(shift);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { timeline } = this, { cursors } = timeline;
    const does = {
      "+": () => timeline.zoom(0.5, 0.5), "=": () => timeline.zoom(0.5, 0.5), "-": () => timeline.zoom(2, 0.5),
      "0": () => timeline.showAll(), Home: () => timeline.showAll(),
      ArrowLeft: () => timeline.move(-0.2), ArrowRight: () => timeline.move(0.2),
      n: () => timeline.next(1), p: () => timeline.next(-1),
      a: () => cursors.set(0, this.at), b: () => cursors.set(1, this.at), Escape: () => cursors.clear(),
    }[event.key];
    if (!does) return;
    does();
    event.preventDefault();
  }
}
