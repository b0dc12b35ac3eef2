// A picture of a part of time: from one instant to another, in ns, between the least and the most that there is.
class Zoomed {
  look(from, to) {
    const span = Math.min(Math.max(to - from, 8 * this.period), this.most - this.least);
    this.from = Math.min(Math.max(from, this.least), this.most - span);
    this.to = this.from + span;
    this.render();
  }

  zoom(factor, place) {
    const span = this.to - this.from, at = this.from + span * place;
    this.look(at - span * factor * place, at + span * factor * (1 - place));
  }

  move(share) {
    const by = (this.to - this.from) * share;
    this.look(this.from + by, this.to + by);
  }

  place(x) {
    const left = this.canvas.getBoundingClientRect().left + this.left;
    return Math.min(1, Math.max(0, (x - left) / this.wide));
  }

  // Shows the tooltip at the pointer, within the frame around the picture.
  hint(event, title, lines) {
    const frame = this.tip.parentElement.getBoundingClientRect(), y = event.clientY - frame.top;
    this.tip.replaceChildren(Object.assign(document.createElement("b"), { textContent: title }), lines);
    this.tip.hidden = false;
    this.tip.style.left = `${Math.max(0, Math.min(event.clientX - frame.left + 14, frame.width - this.tip.offsetWidth))}px`;
    const below = y + 20 + this.tip.offsetHeight < frame.height;
    this.tip.style.top = `${below ? y + 20 : Math.max(0, y - this.tip.offsetHeight - 10)}px`;
  }

  fit(text, width) {
    const most = Math.max(3, Math.floor(width / 6.4));
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
  }
}
