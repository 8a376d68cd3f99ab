// One line of output as an element.
import { settle, spans_of, plain } from "./ansi.js";
import { make } from "./dom.js";
import { bytes_text, clock_text } from "./status.js";
/** Longer lines are shown whole when somebody asks for it. */
const line_max = 4000;
const hues = 8;
export function plain_text(line) {
    return plain(settle(line.text));
}
function add_marked(parent, text, wanted) {
    let from = 0;
    if (wanted !== "") {
        const folded = text.toLowerCase();
        for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, from)) {
            parent.append(text.slice(from, at), make("mark", text.slice(at, at + wanted.length)));
            from = at + wanted.length;
        }
    }
    parent.append(text.slice(from));
}
function fill(element, text, wanted) {
    for (const span of spans_of(text)) {
        if (span.look === "") {
            add_marked(element, span.text, wanted);
        }
        else {
            const part = make("span", "", { class: span.look });
            add_marked(part, span.text, wanted);
            element.append(part);
        }
    }
}
/** Makes the element of a line; `wanted` is marked in it (lower case; "" for nothing). */
export function make_line(line, wanted) {
    const element = make("div", "", { class: line.gap === true ? "line gap" : "line",
        "data-stream": line.source.stream });
    if (line.gap === true) {
        element.textContent = `… ${line.text} …`;
        return element;
    }
    const who = make("span", line.source.task, { class: "who",
        "data-hue": String(line.source.order % hues) });
    element.append(make("span", line.ms === 0 ? "" : clock_text(line.ms), { class: "when" }), who);
    const text = settle(line.text);
    const what = make("span", "", { class: "what" });
    fill(what, text.slice(0, line_max), wanted);
    element.append(what);
    if (text.length > line_max) {
        const more = make("button", `… ${bytes_text(text.length - line_max)} more`, { type: "button", class: "more" });
        more.addEventListener("click", () => {
            what.replaceChildren();
            fill(what, text, wanted);
            more.remove();
        });
        element.append(more);
    }
    return element;
}
