// Mouse, fingers and keys on the picture of all packets.
class HeroInput {
  constructor(hero) {
    this.hero = hero;
    const { canvas, root } = hero;
    root.querySelectorAll("[data-do]").forEach((button) => button.addEventListener("click", () => {
      if (button.dataset.do === "all") this.all(); else hero.zoom(button.dataset.do === "in" ? 0.5 : 2);
    }));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", () => this.drop());
    canvas.addEventListener("pointerleave", () => { if (!hero.drag) hero.leave(); });
    canvas.addEventListener("click", (event) => this.click(event));
    canvas.addEventListener("dblclick", () => this.all());
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("blur", () => hero.leave());
  }

  all() { this.hero.show(0, this.hero.packets.length); }

  point(event) {
    const box = this.hero.canvas.getBoundingClientRect();
    return [event.clientX - box.left, Math.max(0, Math.min(event.clientY - box.top, this.hero.high - 0.01))];
  }

  move(event) {
    const { hero } = this, [x, y] = this.point(event);
    if (this.from !== undefined && event.pointerType !== "touch" && Math.abs(y - this.from) > 4) {
      hero.canvas.setPointerCapture(event.pointerId);
      hero.drag = [this.from, y];
      hero.tip.hidden = true;
      hero.paint();
      return;
    }
    this.hover(x, y);
  }

  // The packet under the pointer and its step there.
  hover(x, y) {
    const { hero } = this;
    const last = hero.rows.high - 1, row = Math.min(last, Math.floor(y / (hero.high - 1) * hero.rows.high));
    hero.at = hero.rows.place(row);
    hero.step = x < HERO_LEFT ? -1 : hero.packets.stepAt(hero.order[hero.at], (x - HERO_LEFT) / hero.wide * hero.span);
    hero.paint();
    hero.hint(x, y, hero.step);
  }

  down(event) {
    if (event.pointerType === "mouse" && event.button) return;
    [, this.from] = this.point(event);
    this.dragged = false;
  }

  up() {
    const { hero } = this, drag = hero.drag;
    this.drop();
    if (!drag) return;
    this.dragged = true; // the click that follows opens nothing
    const [top, foot] = drag.sort((a, b) => a - b).map((y) => hero.from + y / hero.high * (hero.to - hero.from));
    hero.show(Math.floor(top), Math.ceil(foot));
  }

  drop() {
    this.from = undefined;
    this.hero.drag = null;
    this.hero.paint();
  }

  click(event) {
    if (this.dragged || event.detail > 1) return;
    this.hover(...this.point(event));
    this.open();
  }

  open() {
    const { hero } = this;
    if (hero.at >= 0) hero.opened(hero.order[hero.at]);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { hero } = this, page = Math.max(1, Math.round((hero.to - hero.from) / 20)), last = hero.packets.length - 1;
    const start = hero.at < 0 ? (hero.row < 0 ? hero.from - 1 : hero.order.indexOf(hero.row)) : hero.at;
    const does = {
      ArrowDown: () => hero.go(start + 1, hero.step), ArrowUp: () => hero.go(start - 1, hero.step),
      PageDown: () => hero.go(start + page, hero.step), PageUp: () => hero.go(start - page, hero.step),
      Home: () => hero.go(0, hero.step), End: () => hero.go(last, hero.step),
      ArrowRight: () => hero.go(start, hero.step + 1), ArrowLeft: () => hero.go(start, hero.step - 1),
      Enter: () => this.open(), "+": () => hero.zoom(0.5), "=": () => hero.zoom(0.5), "-": () => hero.zoom(2),
      "0": () => this.all(), Escape: () => this.all(),
    }[event.key];
    if (!does) return;
    does();
    event.preventDefault();
  }
}
