// Times as text, ticks of axes, elements of SVG.
const SVG = "http://www.w3.org/2000/svg";
const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

const GAP = "\u202f"; // between a number and its unit, and between digits in threes
const unitFor = (ns) => UNITS.find(([size]) => Math.abs(ns) >= size * 0.9995) || UNITS[3];
const signed = (text) => text.replace(/^-/, "\u2212");
const plain = (number, decimals) => {
  const text = number.toFixed(Math.max(0, Math.min(9, decimals)));
  return signed(text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);
};
const time = (ns, period) => {
  const [size, unit] = unitFor(ns);
  return `${plain(ns / size, Math.ceil(Math.log10(size / period)) + 1)}${GAP}${unit}`;
};
// With three digits, for boxes.
const brief = (ns) => {
  const [size, unit] = unitFor(ns);
  return ns ? `${signed(`${Number((ns / size).toPrecision(3))}`)}${GAP}${unit}` : "0";
};
// Round distance of ticks, so that at most `most` of them fit.
const tickStep = (span, most) => {
  const least = span / most, power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least);
};
// At most `most` round instants between two, each with its text.
const ticks = (from, to, most) => {
  const step = tickStep(to - from, Math.max(2, most));
  // The largest unit in which three decimals tell one tick from the next.
  const places = (size) => Math.ceil(Math.log10(size / step) - 1e-9);
  const far = unitFor(Math.max(Math.abs(from), Math.abs(to)))[0];
  const [size, unit] = UNITS.find(([each]) => each <= far && places(each) <= 3) || UNITS[3];
  const all = [];
  for (let n = Math.ceil(from / step); n * step <= to; n += 1) {
    all.push([n * step, `${signed((n * step / size).toFixed(Math.max(0, places(size))))}${GAP}${unit}`]);
  }
  return all;
};
const count = (n) => n.toLocaleString("en").replaceAll(",", GAP);
const draw = (parent, name, attributes, text) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
};
