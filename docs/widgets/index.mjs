/** The widgets of the lectures: a page loads the modules of those that stand on it. */

function load() {
  for (const { localName } of document.querySelectorAll("article :not(:defined)")) {
    import(`./${localName.replaceAll("-", "_")}.mjs`);
  }
}

document$.subscribe(load); // Material tells when a page is in place, also by instant navigation
