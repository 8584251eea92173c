/** What a reader has chosen, in the fragment of the address: `#step=170&head=2.1` can be sent to others. */

/** Whether a fragment is one of a choice, and not the anchor of a section. */
export const holdsChoice = (fragment) => /^#(step|head)=/.test(fragment);

/** The choice that a fragment holds; what it does not name, or names wrongly, is left out. */
export function choiceIn(fragment, { every, last, heads }) {
  const named = new URLSearchParams(fragment.replace(/^#/, ""));
  const [step, head] = [named.get("step"), named.get("head")];
  const found = {};
  if (/^\d+$/.test(step ?? "")) found.step = Math.min(last, every * Math.round(step / every));
  if (heads.includes(head)) found.head = head;
  return found;
}

export const fragmentOf = ({ step, head }) => `#step=${step}&head=${head}`;
