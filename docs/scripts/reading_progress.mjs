/** Which lectures have been read to the end: ticked wherever they are listed, and kept in this browser alone. */

const KEY = "read";
let watcher;

/** The name of a lecture, such as "lectures/scores/"; none for other pages. */
const lectureOf = (address) => new URL(address).pathname.match(/lectures\/\w+\/$/)?.[0];

/** The lectures that have been read. Material keeps a site's own things apart from those of other sites on the host. */
const read = () => new Set(__md_get(KEY) ?? []);

function keep(lectures) {
  __md_set(KEY, [...lectures]);
  show();
}

function show() {
  const done = read();
  for (const link of document.querySelectorAll(".md-nav__link[href], .route a")) {
    link.classList.toggle("is-read", !link.hash && done.has(lectureOf(link.href)));
  }
  const start = document.querySelector(".start");
  if (start) goOn(start, done);
}

/** Say on the front page how far the reader is, in place of where to start. */
function goOn(start, done) {
  start.dataset.first ??= start.innerHTML;
  const links = [...document.querySelectorAll(".route a")];
  const lectures = new Map(links.toReversed().map((link) => [lectureOf(link.href), link])); // as they are first named
  const count = [...lectures.keys()].filter((lecture) => done.has(lecture)).length;
  const next = links.find((link) => !done.has(lectureOf(link.href)));
  if (!count) {
    start.innerHTML = start.dataset.first;
    return;
  }
  const forget = Object.assign(document.createElement("button"), { type: "button", textContent: "Forget this" });
  forget.addEventListener("click", () => keep([]));
  start.replaceChildren(`You have read ${count} of ${lectures.size} lectures to the end. `);
  if (next) start.append("Go on with ", next.cloneNode(true), ". ");
  start.append(forget);
}

/** Wait until the end of a lecture has been on the screen. */
function watch() {
  watcher?.disconnect();
  const lecture = lectureOf(location.href);
  const end = document.querySelector("article > :last-child");
  if (!lecture || !end) return;
  watcher = new IntersectionObserver((seen) => {
    if (seen.some((one) => one.isIntersecting)) keep(read().add(lecture));
  });
  watcher.observe(end);
}

function begin() {
  show();
  watch();
}

document$.subscribe(begin); // Material tells when a page is in place, also by instant navigation
