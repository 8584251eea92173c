/** A field on the page of all steps: it leaves the cards that hold every word that is typed. */

function begin() {
  const cards = [...document.querySelectorAll("article .card")];
  const texts = new Map(cards.map((card) => [card, textOf(card)]));
  const field = document.querySelector(".find-step input");
  const found = document.querySelector(".find-step output");
  if (!field) return;

  const find = () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const [card, text] of texts) card.hidden = !words.every((word) => text.includes(word));
    found.value = `${cards.filter((card) => !card.hidden).length} of ${cards.length}`;
  };
  field.oninput = find;
  window.onhashchange = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target?.closest("[hidden]")) return;
    field.value = "";
    find();
    target.scrollIntoView();
  };
  find();
}

/** The words of a card, without the stub. */
const textOf = (card) =>
  [...card.children]
    .filter((one) => !one.matches("details"))
    .map((one) => one.textContent.toLowerCase())
    .join(" ");

document$.subscribe(begin); // Material tells when a page is in place, also by instant navigation
