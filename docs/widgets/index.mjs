/** The widgets of the lectures: a page loads the modules of those that stand on it. */

function load() {
  for (const { localName } of document.querySelectorAll("article :not(:defined)")) {
    import(`./${localName.replaceAll("-", "_")}.mjs`);
  }
}

if (window.document$) document$.subscribe(load); // Material tells when instant navigation has put a page in place
else load();
