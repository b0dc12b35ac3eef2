// A shadow at the right of what can be scrolled further; a background would hide the page's own colour from checks.
const mark = (box) => box.classList.toggle("more", box.scrollWidth - box.clientWidth - box.scrollLeft > 1);
const sizes = new ResizeObserver((entries) => entries.forEach((entry) => mark(entry.target)));
document.querySelectorAll(".scroll").forEach((box) => {
  sizes.observe(box);
  box.addEventListener("scroll", () => mark(box), { passive: true });
});
