// All packets of several runs over each other, on one axis of time.
class Staircases {
  // `shown`: of each run the element of its picture, and the packets with their viewer.
  constructor(shown) {
    this.ends = shown.map(({ opened: { packets } }) => axisEnd(packets.totals.slice().sort()) * packets.period);
    this.pictures = shown.map(({ root, opened }) => new Hero(root, opened.packets, (row) => this.open(opened, row), this));
    const [first, ...others] = this.pictures;
    first.select.addEventListener("change", () => {
      const by = first.select.selectedOptions[0].text;
      others.forEach((each) => {
        const same = [...each.select.options].find((option) => option.text === by);
        each.select.value = same ? same.value : "delay";
        each.sort();
      });
    });
  }

  // The time that the width shows, in samples of this run: that of the run which takes longest.
  span(picture) { return Math.max(...this.ends) / picture.packets.period; }

  // Opens the packet among those of its own run.
  open(opened, row) {
    for (let each = opened.viewer.root; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
    opened.open(row, true);
    opened.viewer.root.scrollIntoView({ block: "center" });
  }
}
