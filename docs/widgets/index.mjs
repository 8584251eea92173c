/** The widgets of the lectures: a page loads the modules of those that stand on it. */

const TAGS = [
  "causal-mask",
  "dot-product-variance",
  "flash-tiles",
  "growing-cache",
  "head-explorer",
  "head-sharing",
  "head-split",
  "induction-birth",
  "live-gpt",
  "matrix-products",
  "rotary-rotation",
  "softmax-temperature",
  "view-transpose",
  "weighted-sum",
  "write-line",
];

function load() {
  for (const tag of TAGS) {
    if (document.querySelector(tag)) import(`./${tag.replaceAll("-", "_")}.mjs`);
  }
}

if (window.document$) document$.subscribe(load); // Material tells when instant navigation has put a page in place
else load();
