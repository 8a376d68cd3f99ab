import { by_id, make, set_text, show_text } from "./dom.js";
import { duration_text, exit_text } from "./status.js";
/** More tasks than this get a field to choose among them. */
const filter_from = 12;
const states = ["waiting", "active", "succeeded", "failed", "stopped"];
function badge(state) {
    return make("span", state, { class: "badge", "data-state": state });
}
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
    const list = section.querySelector("ul");
    if (list.textContent !== links.map((item) => item.textContent).join("")) {
        list.replaceChildren(...links);
    }
}
function cells(name, task) {
    const attempt = task.attempts === 0 ? "" : String(task.attempts);
    return [
        ["task", "Task", name],
        ["state", "State", task.state],
        ["attempt", "Attempt", attempt],
        ["host", "Host", task.host ?? ""],
        ["exit", "Exit", exit_text(task)],
    ];
}
function make_row(name, task, open_log) {
    const row = make("tr", "", { "data-task": name });
    for (const [field, label, text] of cells(name, task)) {
        const cell = make("td", "", { "data-field": field, "data-label": label });
        if (field === "task") {
            cell.setAttribute("id", `task-${name}`);
        }
        cell.append(field === "state" ? badge(text) : text);
        row.append(cell);
    }
    const output = make("td", "", { "data-field": "output" });
    for (const stream of ["stdout", "stderr"]) {
        const button = make("button", stream, { type: "button",
            "aria-label": `${stream} of ${name}` });
        button.addEventListener("click", () => open_log(name, Number(row.dataset["attempts"]), stream));
        output.append(button, " ");
    }
    row.append(output);
    return row;
}
function update_row(row, name, task) {
    row.dataset["attempts"] = String(task.attempts);
    row.lastElementChild.style.visibility = task.attempts === 0 ? "hidden" : "";
    for (const [field, , text] of cells(name, task)) {
        const cell = row.querySelector(`[data-field=${field}]`);
        if (cell.textContent === text) {
            continue;
        }
        cell.replaceChildren(field === "state" ? badge(text) : text);
    }
}
function show_counts(tasks) {
    const items = states
        .map((state) => ({ state, count: tasks.filter((task) => task.state === state).length }))
        .filter(({ count }) => count > 0)
        .map(({ state, count }) => make("li", `${count} ${state}`, { "data-state": state }));
    const list = by_id("counts");
    if (list.textContent !== items.map((item) => item.textContent).join("")) {
        list.replaceChildren(...items);
    }
}
function apply_filter() {
    const wanted = by_id("filter").value.trim().toLowerCase();
    for (const row of Array.from(by_id("tasks").children)) {
        row.hidden = wanted !== "" && !(row.textContent ?? "").toLowerCase().includes(wanted);
    }
}
function show_timeline(steps) {
    const longest = Math.max(1, ...steps.map((step) => step.ms));
    const items = steps.map((step) => {
        const item = make("li");
        const bar = make("i");
        bar.style.width = `${(100 * step.ms) / longest}%`;
        item.append(make("span", step.step), make("span", duration_text(step.ms)), bar);
        return item;
    });
    const list = by_id("timeline");
    if (list.textContent !== items.map((item) => item.textContent).join("")) {
        list.replaceChildren(...items);
    }
}
/** Shows one job, again and again. */
export class JobPanel {
    constructor(base, open_log) {
        this.base = base;
        this.open_log = open_log;
        this.rows = new Map();
        this.status = null;
        by_id("filter").addEventListener("input", apply_filter);
        setInterval(() => this.show_facts(), 1000);
    }
    show(status) {
        this.status = status;
        document.title = `${status.name}: ${status.outcome?.result ?? status.phase}`;
        document.querySelector("main").hidden = false;
        set_text(by_id("job"), status.job);
        const phase = by_id("phase");
        set_text(phase, status.phase);
        phase.dataset["state"] = status.outcome?.result ?? status.phase;
        this.show_facts();
        show_outcome(status.outcome);
        show_endpoints(this.base, status.endpoints);
        this.show_tasks(status);
        show_timeline(status.timeline);
        show_text(by_id("notice"), status.waits_for === null ? status.log_trouble === null ? null :
            `The job's log cannot be written: ${status.log_trouble}` : `Waiting: ${status.waits_for}`);
    }
    show_tasks(status) {
        const all = [];
        for (const [role, { tasks }] of Object.entries(status.roles)) {
            for (const task of tasks) {
                all.push(task);
                this.show_task(`${role}:${task.index}`, task);
            }
        }
        by_id("filter-label").hidden = all.length < filter_from;
        show_counts(all);
        apply_filter();
    }
    show_task(name, task) {
        let row = this.rows.get(name);
        if (row === undefined) {
            row = make_row(name, task, this.open_log);
            this.rows.set(name, row);
            by_id("tasks").append(row);
        }
        update_row(row, name, task);
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
