// The picture of all packets: a row of pixels per packet, or per group of packets where there are more.
const MAX_ROWS = 2000;

const pixelOf = (colour) => {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
};

class Rows {
  constructor(packets) {
    this.packets = packets;
    this.buffer = document.createElement("canvas");
  }

  // Place in the order of the packet that a row of the picture shows: the first and the last one are always among them.
  place(row) { return this.from + Math.round(row * (this.to - this.from - 1) / Math.max(1, this.high - 1)); }

  // Draws the packets from one place of an order to another; `span` is the time that the width shows, in samples.
  fill(order, from, to, span, width, colours) {
    Object.assign(this, { from, to, high: Math.min(to - from, MAX_ROWS) });
    this.binned = to - from > this.high;
    this.buffer.width = width;
    this.buffer.height = this.high;
    const context = this.buffer.getContext("2d"), image = context.createImageData(width, this.high);
    const pixels = new Uint32Array(image.data.buffer), { samples, totals } = this.packets, scale = width / span;
    for (let row = 0; row < this.high; row += 1) {
      const packet = order[this.place(row)], base = row * width;
      let end = 0, x = 0;
      for (let step = 0; step < samples.length; step += 1) {
        end += samples[step][packet];
        const until = Math.min(width, Math.round(end * scale));
        if (until > x) pixels.fill(colours.steps[step], base + x, base + until);
        x = Math.max(x, until);
      }
      if (this.binned) {
        let most = 0;
        for (let at = this.place(row - 0.5); at < this.place(row + 0.5); at += 1) most = Math.max(most, totals[order[at]] || 0);
        pixels.fill(colours.further, base + x, base + Math.max(x, Math.min(width, Math.round(most * scale))));
      }
    }
    context.putImageData(image, 0, 0);
  }
}
