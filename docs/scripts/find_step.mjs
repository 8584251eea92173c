/** A field on the page of all steps: it leaves the cards that hold every word that is typed. */

function begin() {
  const first = document.querySelector("article h2:has(~ h3.step)");
  if (!first || document.querySelector(".find-step")) return;
  const parts = partsFrom(first);
  const cards = parts.flatMap((part) => part.cards);
  const field = Object.assign(document.createElement("input"), { type: "search", autocomplete: "off" });
  const found = document.createElement("output");
  const label = document.createElement("label");
  label.append("Find a step", field);
  const place = document.createElement("p");
  place.className = "find-step";
  place.append(label, found);
  first.before(place);

  const find = () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const card of cards) card.shown = words.every((word) => card.text.includes(word));
    for (const { elements, cards } of parts) {
      hide(elements, !cards.some((card) => card.shown));
      for (const card of cards) hide(card.elements, !card.shown);
    }
    found.value = `${cards.filter((card) => card.shown).length} of ${cards.length}`;
  };
  field.addEventListener("input", find);
  addEventListener("hashchange", () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target?.hidden) return;
    field.value = "";
    find();
    target.scrollIntoView();
  });
  find();
}

const hide = (elements, hidden) => elements.forEach((element) => (element.hidden = hidden));

/** The parts from a heading on: what stands above their cards, and each card with its text, the stub left out. */
function partsFrom(heading) {
  const parts = [];
  for (let one = heading; one; one = one.nextElementSibling) {
    if (one.matches("h2")) parts.push({ elements: [], cards: [] });
    const { elements, cards } = parts.at(-1);
    if (one.matches("h3.step")) cards.push({ elements: [], text: "" });
    const card = cards.at(-1);
    (card?.elements ?? elements).push(one);
    if (card && !one.matches("details")) card.text += ` ${one.textContent.toLowerCase()}`;
  }
  return parts;
}

if (window.document$) document$.subscribe(begin); // Material tells when instant navigation has put a page in place
else begin();
