import { by_id, make, set_text, show_text } from "./dom.js";
import { pause, read } from "./session.js";
/** Most that stays on the page: the file and `muster logs` have the whole. */
const shown_max = 1000000;
/** Logs that stay readable once nobody answers any more; the one opened longest ago goes first. */
const kept_max = 16;
/** One after the other, once the job has ended: its master answers no more. */
const failures_max = 3;
const again_after_ms = 2000;
/** The part of the page that follows the output of one task. */
export class LogPanel {
    constructor() {
        this.base = "";
        this.task = "";
        this.job = "";
        this.ended = false;
        this.address = "";
        this.following = null;
        /** What was shown of logs, by address. */
        this.kept = new Map();
        by_id("log-close").addEventListener("click", () => this.close());
        for (const id of ["log-attempt", "log-stream"]) {
            by_id(id).addEventListener("change", () => this.follow());
        }
    }
    /** Takes in how the job stands. */
    update(status) {
        this.job = status.job;
        this.ended = status.phase === "ended";
    }
    open(base, task, attempts, stream) {
        this.keep();
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
        this.keep();
        by_id("log").hidden = true;
    }
    /** Ends following, and keeps what was shown. */
    keep() {
        this.following?.abort();
        this.following = null;
        if (this.address === "") {
            return;
        }
        this.kept.delete(this.address);
        this.kept.set(this.address, by_id("log-text").textContent ?? "");
        this.address = "";
        for (const oldest of this.kept.keys()) {
            if (this.kept.size <= kept_max) {
                break;
            }
            this.kept.delete(oldest);
        }
    }
    follow() {
        this.keep();
        this.following = new AbortController();
        const attempt = by_id("log-attempt").value;
        const stream = by_id("log-stream").value;
        const path = this.task.replace(":", "/");
        const query = `attempt=${attempt}&stream=${stream}`;
        by_id("log-plain").setAttribute("href", `${this.base}logs/${path}?${query}`);
        this.address = `${this.base}api/log/${path}?${query}`;
        by_id("log-text").textContent = this.kept.get(this.address) ?? "";
        show_text(by_id("log-note"), null);
        void this.run(this.address, this.following.signal);
    }
    async run(address, signal) {
        let after = "";
        let failures = 0;
        let whole = false;
        while (!signal.aborted && !(this.ended && failures >= failures_max)) {
            try {
                const piece = await read(address + after, signal);
                failures = 0;
                show_text(by_id("log-note"), null);
                if (after === "" && piece.text !== "") {
                    by_id("log-text").textContent = "";
                }
                this.show(piece.text);
                after = `&after=${piece.next}`;
                if (!piece.runs && piece.text === "") {
                    return;
                }
                whole = !piece.runs;
            }
            catch (error) {
                if (signal.aborted) {
                    return;
                }
                ++failures;
                if (!whole) {
                    show_text(by_id("log-note"), "No more of this output can be fetched now; " +
                        `muster logs ${this.job} ${this.task} prints it.`);
                }
                await pause(again_after_ms);
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
