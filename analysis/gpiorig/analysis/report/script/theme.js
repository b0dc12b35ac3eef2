// Light or dark, as the system has it or as chosen.
const theme = document.getElementById("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");
let chosen = "automatic";
const repaints = []; // called when the colours have changed
const paint = () => {
  const look = chosen === "automatic" ? (dark.matches ? "dark" : "light") : chosen;
  document.documentElement.dataset.theme = look;
  theme.textContent = `colours: ${chosen}`;
  repaints.forEach((repaint) => repaint());
};
theme.addEventListener("click", () => {
  chosen = { automatic: "light", light: "dark", dark: "automatic" }[chosen];
  paint();
});
dark.addEventListener("change", paint);
paint();
// Paper is white: printing shows the light colours, whatever the screen shows.
addEventListener("beforeprint", () => { document.documentElement.dataset.theme = "light"; });
addEventListener("afterprint", paint);
