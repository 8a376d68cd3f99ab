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
