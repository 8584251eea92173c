/** A field on the page of all steps: it leaves the cards that hold every word that is typed. */

function begin() {
  const cards = [...document.querySelectorAll("article .card")];
  if (!cards.length || document.querySelector(".find-step")) return;
  const texts = new Map(cards.map((card) => [card, textOf(card)]));
  const field = Object.assign(document.createElement("input"), { type: "search", autocomplete: "off" });
  const found = document.createElement("output");
  const label = document.createElement("label");
  label.append("Find a step", field);
  const place = document.createElement("p");
  place.className = "find-step";
  place.append(label, found);
  cards[0].closest(".part").before(place);

  const find = () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const [card, text] of texts) card.hidden = !words.every((word) => text.includes(word));
    found.value = `${cards.filter((card) => !card.hidden).length} of ${cards.length}`;
  };
  field.addEventListener("input", find);
  addEventListener("hashchange", () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target?.closest("[hidden]")) return;
    field.value = "";
    find();
    target.scrollIntoView();
  });
  find();
}

/** What a card says, the stub left out. */
const textOf = (card) =>
  [...card.children]
    .filter((one) => !one.matches("details"))
    .map((one) => one.textContent.toLowerCase())
    .join(" ");

if (window.document$) document$.subscribe(begin); // Material tells when instant navigation has put a page in place
else begin();
