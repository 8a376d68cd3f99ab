import { by_id, make, set_text } from "./dom.js";
import { pause, read } from "./session.js";
/** Most that stays on the page: the file and `muster logs` have the whole. */
const shown_max = 1000000;
/** One after the other; a job that has ended answers no more. */
const failures_max = 5;
/** The part of the page that follows the output of one task. */
export class LogPanel {
    constructor() {
        this.base = "";
        this.task = "";
        this.following = null;
        by_id("log-close").addEventListener("click", () => this.close());
        for (const id of ["log-attempt", "log-stream"]) {
            by_id(id).addEventListener("change", () => this.follow());
        }
    }
    open(base, task, attempts, stream) {
        this.base = base;
        this.task = task;
        const select = by_id("log-attempt");
        select.replaceChildren();
        for (let number = attempts; number > 0; --number) {
            select.append(make("option", String(number)));
        }
        by_id("log-stream").value = stream;
        set_text(by_id("log-title"), `Output of ${task}`);
        by_id("log").hidden = false;
        this.follow();
        by_id("log").scrollIntoView({ block: "nearest" });
        by_id("log-text").focus();
    }
    close() {
        this.following?.abort();
        by_id("log").hidden = true;
    }
    follow() {
        this.following?.abort();
        this.following = new AbortController();
        const attempt = by_id("log-attempt").value;
        const stream = by_id("log-stream").value;
        const path = this.task.replace(":", "/");
        const query = `attempt=${attempt}&stream=${stream}`;
        by_id("log-plain").setAttribute("href", `${this.base}logs/${path}?${query}`);
        by_id("log-text").textContent = "";
        void this.run(`${this.base}api/log/${path}?${query}`, this.following.signal);
    }
    async run(address, signal) {
        let after = "";
        let failures = 0;
        while (!signal.aborted && failures < failures_max) {
            try {
                const piece = await read(address + after, signal);
                failures = 0;
                this.show(piece.text);
                after = `&after=${piece.next}`;
                if (!piece.runs && piece.text === "") {
                    return;
                }
            }
            catch (error) {
                if (signal.aborted) {
                    return;
                }
                ++failures;
                await pause(2000);
            }
        }
    }
    show(text) {
        const pre = by_id("log-text");
        const at_end = pre.scrollTop + pre.clientHeight >= pre.scrollHeight - 8;
        if (text !== "") {
            pre.append(text);
            if ((pre.textContent ?? "").length > shown_max) {
                pre.textContent = (pre.textContent ?? "").slice(-shown_max / 2);
            }
        }
        if (at_end) {
            pre.scrollTop = pre.scrollHeight;
        }
    }
}
