/** Returns the element of the document with this id; the document is ours, so it is there. */
export function by_id<E extends HTMLElement = HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

/** Makes an element with text and attributes. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, text = "", attributes: Record<string, string> = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  return element;
}

/** Makes a button that does something. */
export function make_button(
  text: string, attributes: Record<string, string>, pressed: () => void,
): HTMLButtonElement {
  const button = make("button", text, { type: "button", ...attributes });
  button.addEventListener("click", pressed);
  return button;
}

/** Makes an element of a drawing. */
export function draw<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Record<string, string | number>,
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, String(value));
  }
  return element;
}

/** Sets a text only where it differs: what stays is not read out again, and keeps its selection. */
export function set_text(element: HTMLElement, text: string): void {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** Shows an element with this text, or hides it where there is none. */
export function show_text(element: HTMLElement, text: string | null): void {
  element.hidden = !text;
  set_text(element, text ?? "");
}

/** Replaces the children of a list where its text differs. */
export function show_items(list: HTMLElement, items: HTMLElement[]): void {
  if (list.textContent !== items.map((item) => item.textContent).join("")) {
    list.replaceChildren(...items);
  }
}

/** A state as a pill. */
export function badge(state: string, text = state): HTMLElement {
  return make("span", text, { class: "badge", "data-state": state });
}

/** Calls `work` soon, once for many calls, and not while nobody looks at the page. */
export function soon(work: () => void): () => void {
  let asked = false;
  return () => {
    if (!asked) {
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        work();
      });
    }
  };
}
