// Viewers, pictures of all packets, and the packet in the page's address: #packet=17.
const viewers = new Map();
const onOpened = []; // what is called with the view and the row of each packet that is opened
document.querySelectorAll(".viewer").forEach((root) => viewers.set(root.dataset.name, new Timeline(root)));

// The packets of one route, the picture of all of them, and the viewer beneath.
class Opened {
  constructor(root, packets) {
    this.packets = packets;
    this.key = root.dataset.name.replace(/s$/, "");
    this.viewer = viewers.get(root.dataset.name);
    this.command = root.parentElement.querySelector(".command");
    this.full = new Map(this.viewer.packets.map((packet) => [packets.starts.indexOf(packet.start), packet]));
    this.hero = new Hero(root, packets, (row) => this.open(row, true));
    this.viewer.opened = (packet) => this.chosen(packets.starts.indexOf(packet.start), true);
    document.querySelectorAll(`table.steps[data-name="${root.dataset.name}"] button.link`).forEach((button) => {
      button.addEventListener("click", () => this.hero.sortBy(button.closest("tbody").dataset.step));
    });
    document.querySelectorAll(`svg[data-packets="${root.dataset.name}"]`).forEach((svg) => {
      new LeadingFigure(svg, packets, (row) => {
        this.open(row, true);
        this.viewer.root.scrollIntoView({ block: "center" });
      });
    });
    this.follow();
    if (this.hero.row < 0 && this.viewer.packet) this.chosen(packets.starts.indexOf(this.viewer.packet.start), false);
    addEventListener("hashchange", () => this.follow());
  }

  // Opens the packet that the address names.
  follow() {
    const name = new URLSearchParams(location.hash.slice(1)).get(this.key), row = this.packets.rowOf(name);
    if (row < 0 || row === this.hero.row) return;
    this.open(row, false);
    this.viewer.root.closest("details")?.setAttribute("open", "");
    this.viewer.root.scrollIntoView({ block: "nearest" });
  }

  open(row, named) {
    this.viewer.open(this.full.get(row) || this.packets.view(row));
    this.chosen(row, named);
  }

  chosen(row, named) {
    this.hero.choose(row);
    if (row < 0) return; // not among those of this file
    this.command.querySelector("code").textContent = this.packets.command(row);
    this.command.hidden = false;
    onOpened.forEach((tell) => tell(this, row));
    if (named) history.replaceState(null, "", `#${this.key}=${this.packets.name(row)}`);
  }
}

const routes = new Map([...document.querySelectorAll(".hero:has(script.header)")].map((root) => [
  root.dataset.name, Packets.of(root).then((packets) => new Opened(root, packets)),
]));
const staircases = [...document.querySelectorAll(".staircase")];
if (staircases.length) {
  Promise.all(staircases.map(async (root) => ({ root, opened: await routes.get(root.dataset.name) })))
    .then((shown) => new Staircases(shown));
}
