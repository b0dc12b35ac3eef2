// Sorts rows in place by their values, equal ones as they were: both in one number, as numbers alone are sorted fast.
const sortRows = (rows, values) => {
  const places = 2 ** Math.ceil(Math.log2(rows.length + 1)), before = rows.slice();
  const keys = Float64Array.from(rows, (row, place) => values[row] * places + place).sort();
  keys.forEach((key, at) => { rows[at] = before[key % places]; });
  return rows;
};

// All packets of a route: columns of samples, which the page has as base64 of a zlib stream.
class Packets {
  static async of(root) {
    const header = JSON.parse(root.querySelector("script.header").textContent);
    const packets = await Packets.read(header, root.querySelector("script.columns").textContent);
    return Object.assign(packets, { folder: root.closest("[data-folder]")?.dataset.folder });
  }

  static async read(header, text) {
    const letters = atob(text.trim());
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = letters.charCodeAt(at);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Packets(header, new Uint8Array(await new Response(stream).arrayBuffer()));
  }

  constructor(header, bytes) {
    Object.assign(this, { length: header.packets, all: header.all, period: header.period, steps: header.steps });
    this.roundTrips = header.round_trips;
    let at = 0;
    const columns = header.columns.map(([least, width]) => {
      const values = new Float64Array(this.length).fill(least);
      for (let plane = 0; plane < width; plane += 1, at += this.length) {
        const scale = 256 ** plane;
        for (let row = 0; row < this.length; row += 1) values[row] += bytes[at + row] * scale;
      }
      return values;
    });
    [this.ids, this.starts, ...this.samples] = columns;
    for (let row = 1; row < this.length; row += 1) this.starts[row] += this.starts[row - 1];
    this.totals = new Float64Array(this.length);
    this.main = Math.max(0, this.widest());
    for (const column of this.samples) for (let row = 0; row < this.length; row += 1) this.totals[row] += column[row];
  }

  // Of packets with one id each has a name of its own: 17, 17/2, 17/3.
  name(row) {
    const id = this.ids[row], n = this.ids.subarray(0, row).reduce((sum, each) => sum + (each === id), 1);
    return n > 1 ? `${id}/${n}` : `${id}`;
  }

  // The row of a name, -1 if there is none.
  rowOf(name) {
    if (!/^-?\d+(\/\d+)?$/.test(name || "")) return -1;
    const [id, n] = name.split("/").map(Number);
    let row = this.ids.indexOf(id);
    for (let left = (n || 1) - 1; left > 0 && row >= 0; left -= 1) row = this.ids.indexOf(id, row + 1);
    return row;
  }

  // The rows by time of sending, by delay, or by a step.
  order(by) {
    const rows = Uint32Array.from({ length: this.length }, (_, row) => row);
    if (by === "time") return rows;
    sortRows(rows, this.totals);
    return by === "delay" ? this.levels(rows) : sortRows(rows, this.samples[by]);
  }

  // Packets whose delays are nearly equal are ordered by the step that varies most: the levels of a staircase show.
  levels(rows) {
    const first = this.totals[rows[0]], last = this.totals[rows[rows.length - 1]];
    const near = (last - first) / 150, within = this.samples[this.main];
    for (let from = 1, to; from < rows.length - 1; from = to) {
      for (to = from + 1; to < rows.length - 1 && this.totals[rows[to]] - this.totals[rows[from]] <= near;) to += 1;
      sortRows(rows.subarray(from, to), within);
    }
    return rows;
  }

  // The first step on the path among those with the widest range.
  widest() {
    const ranges = this.samples.map((column) => {
      let least = Infinity, most = -Infinity;
      for (let row = 0; row < column.length; row += 1) {
        const value = column[row];
        if (value < least) least = value;
        if (value > most) most = value;
      }
      return most - least;
    });
    return ranges.findIndex((each) => each > 0.9 * Math.max(...ranges));
  }

  // The step that lasts at an instant of a packet, -1 after its last.
  stepAt(row, sample) {
    let end = 0;
    return this.samples.findIndex((column) => { end += column[row]; return sample < end; });
  }

  time(samples) { return time(samples * this.period, this.period); }

  // The packet for the viewer: a lane per node, a box per step.
  view(row) {
    const lanes = [...new Set(this.steps.map(([, node]) => node))];
    let start = 0;
    const boxes = this.steps.map(([name, node, look], at) => {
      const length = this.samples[at][row] * this.period, box = [lanes.indexOf(node), start, length, name, look];
      start += length;
      return box;
    });
    const sent = time(this.starts[row] * this.period, 1000 * this.period);
    const text = `Packet ${this.name(row)}: ${this.time(this.totals[row])}, sent ${sent} into the recording.`;
    return { text, boxes, total: start, period: this.period, start: this.starts[row], lanes: lanes.map((node) => ["", node]) };
  }

  // The command that opens a packet in PulseView; a page that is served, or lies where it was written, knows its recording.
  command(row) {
    const place = location.protocol === "file:" && decodeURIComponent(location.pathname).match(/^(.+)\/report\/[^/]+$/);
    const folder = this.folder || document.querySelector('meta[name="gpiorig-view"]')?.dataset.folder;
    const path = folder || (place ? place[1] : "RUN"), run = /^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
    const name = this.name(row), from = this.starts[row];
    const which = this.roundTrips && !name.includes("/") ? `--packet ${name}`
      : `--from ${from}sa --to ${from + this.totals[row] + 1}sa`;
    return `gpiorig export ${run} --pulseview ${which} --open`;
  }
}
