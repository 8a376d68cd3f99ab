// Colours of a terminal as classes: only what is listed here has an effect, all other sequences and
// control characters are left out. Text stays text.
const colours = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
// Sequences that begin with "[" or "]", other escapes, and the rest of the control characters.
const sequence = 
// eslint-disable-next-line no-control-regex
/\x1b\[([0-9;:?]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
/** What a line shows in the end: what was written over by carriage returns is gone. */
export function settle(line) {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    return text.slice(text.lastIndexOf("\r") + 1);
}
class Style {
    constructor() {
        this.on = new Set();
        this.front = "";
        this.back = "";
    }
    get look() {
        return [...this.on, this.front, this.back].filter((each) => each !== "").join(" ");
    }
    take(codes) {
        const numbers = codes.split(/[;:]/).map((code) => (code === "" ? 0 : Number(code)));
        for (let at = 0; at < numbers.length; ++at) {
            const code = numbers[at] ?? 0;
            if (code === 38 || code === 48) {
                at += numbers[at + 1] === 5 ? this.indexed(code, numbers[at + 2] ?? 0) : 4;
            }
            else {
                this.simple(code);
            }
        }
    }
    /** Of 256 colours the 16 that a theme names; the others are left as they are. */
    indexed(code, index) {
        const name = colours[index % 8];
        if (index < 16 && name !== undefined) {
            this.paint(code === 38, name);
        }
        return 2;
    }
    paint(front, name) {
        if (front) {
            this.front = `a-${name}`;
        }
        else {
            this.back = `a-on-${name}`;
        }
    }
    simple(code) {
        const decorations = { 1: "a-bold", 2: "a-faint", 3: "a-italic",
            4: "a-underline" };
        const decoration = decorations[code];
        const name = colours[code % 10];
        if (code === 0) {
            this.on.clear();
            this.front = this.back = "";
        }
        else if (decoration !== undefined) {
            this.on.add(decoration);
        }
        else if (code === 22) {
            this.on.delete("a-bold");
            this.on.delete("a-faint");
        }
        else if (code === 23 || code === 24) {
            this.on.delete(code === 23 ? "a-italic" : "a-underline");
        }
        else if (code === 39) {
            this.front = "";
        }
        else if (code === 49) {
            this.back = "";
        }
        else if (name !== undefined && ((code >= 30 && code < 38) || (code >= 90 && code < 98))) {
            this.paint(true, name);
        }
        else if (name !== undefined && ((code >= 40 && code < 48) || (code >= 100 && code < 108))) {
            this.paint(false, name);
        }
    }
}
/** Takes a line apart into texts with their looks. */
export function spans_of(line) {
    // eslint-disable-next-line no-control-regex
    if (!/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(line)) {
        return [{ text: line, look: "" }];
    }
    const spans = [];
    const style = new Style();
    let from = 0;
    const add = (text) => {
        if (text !== "") {
            spans.push({ text, look: style.look });
        }
    };
    for (const found of line.matchAll(sequence)) {
        add(line.slice(from, found.index));
        from = (found.index ?? 0) + (found[0] ?? "").length;
        if (found[2] === "m") {
            style.take(found[1] ?? "");
        }
    }
    add(line.slice(from));
    return spans;
}
/** The text alone. */
export function plain(line) {
    return line.replace(sequence, "");
}
