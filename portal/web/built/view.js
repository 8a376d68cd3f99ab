import { by_id, make, set_text, show_items, show_text } from "./dom.js";
import { is_of_portal } from "./place.js";
import { duration_text, exit_text } from "./status.js";
function cause_line(cause) {
    const where = cause.host === null ? "" : ` on ${cause.host}`;
    const end = exit_text(cause);
    const victims = cause.victims > 0 ? `; ${cause.victims} more ended because of it` : "";
    return `First cause: ${cause.task}, attempt ${cause.attempt}${where}` +
        `${end === "" ? "" : `, ${end}`}${victims}`;
}
function show_outcome(outcome) {
    const section = by_id("outcome");
    section.hidden = outcome === null;
    if (outcome === null) {
        return;
    }
    section.dataset["result"] = outcome.result;
    const because = outcome.class === null ? "" : ` (${outcome.class})`;
    set_text(by_id("outcome-title"), `The job ${outcome.result === "stopped" ? "was stopped" : outcome.result}${because}`);
    show_text(by_id("message"), outcome.message);
    const cause = outcome.first_cause;
    by_id("cause").hidden = cause === null;
    if (cause !== null) {
        set_text(by_id("cause-line"), cause_line(cause));
        show_text(by_id("evidence"), cause.evidence);
        show_text(by_id("hint"), cause.hint === null ? null : `Hint: ${cause.hint}`);
    }
}
/** The tasks that hang now, and what was seen of them. */
function show_stalls(status) {
    const items = [];
    for (const [role, { tasks }] of Object.entries(status.roles)) {
        for (const task of tasks) {
            if (task.stall && task.attempt_state === "running") {
                const item = make("li");
                const verbs = { sign: "is idle", unsure: "may hang" };
                const verb = verbs[task.stall.sure] ?? "hangs";
                const where = task.stall.place === null ? "" : ` in ${task.stall.place}`;
                item.append(make("strong", `${role}:${task.index} on ${task.host} ${verb}${where}`), make("span", `, no progress for ${duration_text(1000 * task.stall.silent_s)} when it was ` +
                    `noticed${task.stall.sure === "sign" ? "" : ` (${task.stall.sure})`}`), make("pre", task.stall.evidence, { tabindex: "0", "aria-label": "Evidence" }));
                items.push(item);
            }
        }
    }
    const list = by_id("stalls");
    list.hidden = items.length === 0;
    show_items(list, items);
}
function show_endpoints(base, endpoints) {
    const section = by_id("endpoints");
    const names = Object.keys(endpoints).sort();
    section.hidden = names.length === 0;
    const links = names.map((name) => {
        const item = make("li");
        const url = endpoints[name] ?? "";
        // What a task publishes is a task's word: nothing but a page elsewhere is linked to.
        const is_page = /^https?:\/\//.test(url);
        // What lies behind this page is named from here.
        const is_ours = /^(tensorboard\/(\?|$)|endpoints\/[a-z0-9_-]+\/)/.test(url);
        item.append(is_page || is_ours
            ? make("a", name, { href: is_ours ? base + url : url, target: "_blank",
                rel: "noopener noreferrer" })
            : make("span", name), is_ours ? "" : make("span", ` ${url}`, { class: "faint" }));
        return item;
    });
    show_items(section.querySelector("ul"), links);
}
function show_timeline(steps) {
    by_id("timeline-title").hidden = steps.length === 0;
    const longest = Math.max(1, ...steps.map((step) => step.ms));
    show_items(by_id("timeline"), steps.map((step) => {
        const item = make("li");
        const bar = make("i");
        bar.style.width = `${(100 * step.ms) / longest}%`;
        item.append(make("span", step.step), make("span", duration_text(step.ms)), bar);
        return item;
    }));
}
/** Shows how one job stands, again and again. */
export class JobPanel {
    constructor(base) {
        this.base = base;
        this.status = null;
        by_id("up").hidden = !is_of_portal();
        setInterval(() => this.show_facts(), 1000);
    }
    show(status) {
        this.status = status;
        document.title = `${status.name}: ${status.outcome?.result ?? status.phase}`;
        document.querySelector("main").hidden = false;
        by_id("sections").hidden = false;
        set_text(by_id("job"), status.job);
        const phase = by_id("phase");
        set_text(phase, status.outcome?.result ?? status.phase);
        phase.dataset["state"] = status.outcome?.result ?? status.phase;
        this.show_facts();
        show_outcome(status.outcome);
        show_stalls(status);
        show_endpoints(this.base, status.endpoints);
        show_timeline(status.timeline);
        show_text(by_id("notice"), status.waits_for === null ? status.log_trouble === null ? null :
            `The job's log cannot be written: ${status.log_trouble}` : `Waiting: ${status.waits_for}`);
    }
    show_facts() {
        const status = this.status;
        if (status === null) {
            return;
        }
        const facts = [`on ${status.on}`];
        if (status.application_id !== null) {
            facts.push(status.application_id);
        }
        if (status.started !== null) {
            const end = status.ended === null ? Date.now() : Date.parse(status.ended);
            facts.push(duration_text(end - Date.parse(status.started)));
        }
        if (status.generation > 1) {
            facts.push(`generation ${status.generation}`);
        }
        set_text(by_id("facts"), facts.join(" · "));
    }
}
