// Of a page that `gpiorig view` serves: what its server knows and a file does not have.
const served = {
  // Where the answers about the run of an element are: that of its section, or of the page.
  of(element) {
    return element.closest("[data-address]")?.dataset.address ?? document.querySelector('meta[name="gpiorig-view"]').content;
  },

  // The answer to a request about the run of an element; an Error with the server's words where there is none.
  async get(element, path, signal) {
    const response = await fetch(`${this.of(element)}/${path}`, { signal });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error);
    return answer;
  },
};

// Any packet with all its layers: what is opened is shown with its steps at once, and with the rest when it is there.
const fetched = new Map();
const complete = async (opened, row) => {
  const { packets, viewer } = opened, shown = viewer.packet;
  if (row < 0 || shown.window) return;
  const path = `packet/${packets.ids[row]}?at=${packets.starts[row]}`, key = `${served.of(viewer.root)}/${path}`;
  if (!fetched.has(key)) fetched.set(key, served.get(viewer.root, path));
  const packet = await fetched.get(key).catch(() => fetched.delete(key) && null);
  if (!packet || viewer.packet !== shown) return; // another one was opened meanwhile
  const { from, to } = viewer;
  viewer.take({ ...packet, text: shown.text });
  viewer.look(from, to);
};
if (!document.querySelector(".live-table")) onOpened.push(complete);

// A field for the id of any packet: also of one that was lost, or that is not among those of the page.
document.querySelectorAll(".viewer form.any").forEach((form) => {
  const root = form.closest(".viewer"), viewer = viewers.get(root.dataset.name), message = form.querySelector("output");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const name = form.querySelector("input").value.trim();
    try {
      viewer.open(await served.get(root, `packet/${encodeURIComponent(name)}`));
      message.textContent = "";
      edgesOf(root)?.around(viewer.packet);
    } catch (error) {
      message.textContent = error.message;
    }
  });
});

// Two runs: the page of their difference.
document.querySelectorAll("form.runs").forEach((form) => form.addEventListener("submit", (event) => {
  event.preventDefault();
  const [base, other] = [...form.querySelectorAll("select")].map((select) => select.value);
  location.assign(base === other ? `/runs/${base}/` : `/compare/${base}/${other}/`);
}));
