// What the keyboard does.
import { by_id, make } from "./dom.js";
function go(id) {
    const section = by_id(id);
    if (!section.hidden) {
        section.scrollIntoView({ block: "start" });
    }
}
function focus_field(id) {
    by_id(id).scrollIntoView({ block: "center" });
    by_id(id).focus();
}
/** Sets up the keys, and the list of them behind "?". */
export function listen_to_keys(output, open_all) {
    const dialog = by_id("keys");
    const keys = [
        { key: "t", words: "tasks", act: () => go("tasks-section") },
        { key: "o", words: "output of all tasks", act: open_all },
        { key: "c", words: "charts", act: () => go("charts") },
        { key: "a", words: "attempts", act: () => go("lane-section") },
        { key: "e", words: "events", act: () => go("events") },
        { key: "s", words: "specification", act: () => go("asked") },
        { key: "/", words: "search: in output that is open, else among tasks",
            act: () => focus_field(output.is_open ? "log-find"
                : by_id("filter-label").hidden ? "event-find" : "filter") },
        { key: "n", words: "next match in the output", act: () => output.find_next(false) },
        { key: "N", words: "previous match", act: () => output.find_next(true) },
        { key: "x", words: "the first error in the output", act: () => by_id("log-error").click() },
        { key: "G", words: "end of the output, and follow it", act: () => output.to_end() },
        { key: "w", words: "wrap lines", act: () => output.toggle("wrap") },
        { key: "T", words: "times of lines", act: () => output.toggle("times") },
        { key: "Escape", words: "close the output", act: () => output.close() },
        { key: "?", words: "this list", act: () => dialog.showModal() },
    ];
    const list = by_id("key-list");
    for (const { key, words } of keys) {
        const word = make("dd", words);
        const name = make("dt");
        name.append(make("kbd", key === "Escape" ? "Esc" : key));
        list.append(name, word);
    }
    by_id("keys-open").addEventListener("click", () => dialog.showModal());
    by_id("keys-close").addEventListener("click", () => dialog.close());
    document.addEventListener("keydown", (event) => {
        const target = event.target;
        const writes = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
        if (writes || event.ctrlKey || event.metaKey || event.altKey ||
            document.querySelector("dialog[open]") !== null) {
            return;
        }
        const found = keys.find(({ key }) => key === event.key);
        if (found !== undefined) {
            event.preventDefault();
            found.act();
        }
    });
}
