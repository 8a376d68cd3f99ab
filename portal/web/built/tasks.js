// The job's tasks: a table of roles that unfold; thousands of tasks stay a few lines.
import { badge, by_id, make, make_button, set_text, show_items, soon } from "./dom.js";
import { make_host } from "./place.js";
import { exit_text } from "./status.js";
import { UsageStore, usage_fields } from "./usage.js";
/** Jobs with more tasks begin with their roles folded. */
const fold_from = 64;
/** More tasks than this get a field to choose among them. */
const filter_from = 12;
/** Rows of one role at first, and with each wish for more: a row takes five lines on a phone. */
const page_rows = matchMedia("(max-width: 40rem)").matches ? 25 : 100;
const columns = 6 + usage_fields.length;
const states = ["waiting", "active", "succeeded", "failed", "stopped"];
function count_text(count) {
    return count.toLocaleString("en-US");
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
function content_of(field, text) {
    return field === "state" ? badge(text) : field === "host" ? make_host(text)
        : document.createTextNode(text);
}
function make_row(name, task, open) {
    const row = make("tr", "", { "data-task": name });
    for (const [field, label, text] of cells(name, task)) {
        const cell = make("td", "", { "data-field": field, "data-label": label });
        cell.append(content_of(field, text));
        row.append(cell);
    }
    for (const [field, label] of usage_fields) {
        row.append(make("td", "", { "data-field": field, "data-label": label }));
    }
    const output = make("td", "", { "data-field": "output" });
    for (const [stream, label] of [["both", "output"], ["stderr", "stderr"]]) {
        output.append(make_button(label, { "aria-label": `${label} of ${name}` }, () => open([{ task: name, attempts: Number(row.dataset["attempts"]) }], stream)), " ");
    }
    row.append(output);
    return row;
}
/** What a task uses changes by the second: only its cells are looked at then. */
function update_usage(row, texts) {
    for (const [field] of usage_fields) {
        set_text(row.querySelector(`[data-field=${field}]`), texts[field] ?? "");
    }
}
function update_row(row, name, task) {
    row.dataset["attempts"] = String(task.attempts);
    row.lastElementChild.classList.toggle("absent", task.attempts === 0);
    for (const [field, , text] of cells(name, task)) {
        const cell = row.querySelector(`[data-field=${field}]`);
        if (cell.textContent !== text) {
            cell.replaceChildren(content_of(field, text));
        }
    }
}
/** One role: a line that unfolds, and the rows below it. */
class RoleGroup {
    constructor(role, folded, alone, open_output, changed) {
        this.role = role;
        this.alone = alone;
        this.open_output = open_output;
        this.changed = changed;
        this.body = make("tbody");
        this.head = make("tr", "", { class: "role" });
        this.chips = make("span", "", { class: "chips" });
        this.more = make("tr", "", { class: "more" });
        this.rows = new Map();
        this.shown = [];
        this.limit = page_rows;
        this.state = null;
        this.tasks = [];
        this.is_open = !folded;
        this.body.dataset["role"] = role;
        const cell = make("td", "", { colspan: String(columns) });
        this.toggle = make_button("", { class: "fold" }, () => {
            this.is_open = !this.is_open;
            this.state = null;
            changed();
        });
        const all = make_button("output", { "aria-label": `output of all of ${role}` }, () => open_output(this.tasks.map(({ name, task }) => ({ task: name, attempts: task.attempts })), "both"));
        cell.append(this.toggle, this.chips, all);
        this.head.append(cell);
        this.more_button = make_button("", {}, () => {
            this.limit += 5 * page_rows;
            changed();
        });
        const last = make("td", "", { colspan: String(columns) });
        last.append(this.more_button);
        this.more.append(last);
    }
    show(tasks, wanted) {
        this.tasks = tasks;
        const matching = tasks.filter(({ task, words }) => (this.state === null || task.state === this.state) &&
            (wanted === "" || words.includes(wanted)));
        const opened = this.is_open || wanted !== "" || this.state !== null;
        const visible = opened ? matching.slice(0, this.limit) : [];
        this.show_head(opened);
        const names = visible.map(({ name }) => name);
        for (const { name, task } of visible) {
            let row = this.rows.get(name);
            if (row === undefined) {
                row = make_row(name, task, this.open_output);
                this.rows.set(name, row);
            }
            update_row(row, name, task);
        }
        if (names.join() !== this.shown.join() || this.body.childElementCount === 0) {
            this.shown = names;
            const rows = names.map((name) => this.rows.get(name));
            this.body.replaceChildren(...(this.alone ? [] : [this.head]), ...rows, this.more);
        }
        const left = opened ? matching.length - visible.length : 0;
        this.more.hidden = left === 0;
        set_text(this.more_button, `Show more of the other ${count_text(left)}`);
        this.body.hidden = wanted !== "" && matching.length === 0;
    }
    /** The tasks whose rows are shown. */
    get visible() {
        return this.body.hidden ? [] : this.shown;
    }
    show_usage(usage) {
        for (const { name, task } of this.tasks) {
            const row = this.rows.get(name);
            if (row !== undefined) {
                update_usage(row, usage.texts(name, task.state === "active"));
            }
        }
    }
    show_head(opened) {
        set_text(this.toggle, `${opened ? "▾" : "▸"} ${this.role}: ${count_text(this.tasks.length)} task${this.tasks.length === 1 ? "" : "s"}`);
        this.toggle.setAttribute("aria-expanded", String(opened));
        const counts = new Map();
        for (const { task } of this.tasks) {
            counts.set(task.state, (counts.get(task.state) ?? 0) + 1);
        }
        const text = JSON.stringify([...counts, this.state]);
        if (this.chips.dataset["counts"] === text) {
            return;
        }
        this.chips.dataset["counts"] = text;
        this.chips.replaceChildren(...states.filter((state) => counts.has(state)).map((state) => make_button(`${count_text(counts.get(state) ?? 0)} ${state}`, { "data-state": state,
            class: "chip", "aria-pressed": String(this.state === state) }, () => {
            this.state = this.state === state ? null : state;
            this.limit = page_rows;
            this.changed();
        })));
    }
}
/** The section of the page. */
export class TaskPanel {
    constructor(base, open_output) {
        this.open_output = open_output;
        this.groups = new Map();
        this.status = null;
        this.redraw = soon(() => this.draw());
        this.usage = new UsageStore(base, by_id("tasks"), soon(() => this.show_usage()));
        by_id("filter").addEventListener("input", this.redraw);
    }
    show(status) {
        this.status = status;
        this.draw();
    }
    /** All tasks that have had an attempt. */
    all() {
        return Object.entries(this.status?.roles ?? {}).flatMap(([role, { tasks }]) => tasks.map((task) => ({ task: `${role}:${task.index}`, attempts: task.attempts })))
            .filter(({ attempts }) => attempts > 0);
    }
    draw() {
        const status = this.status;
        if (status === null) {
            return;
        }
        const roles = Object.entries(status.roles);
        const total = roles.reduce((sum, [, { tasks }]) => sum + tasks.length, 0);
        const wanted = by_id("filter").value.trim().toLowerCase();
        by_id("filter-label").hidden = total < filter_from;
        for (const [role, { tasks }] of roles) {
            let group = this.groups.get(role);
            if (group === undefined) {
                group = new RoleGroup(role, total > fold_from, roles.length === 1 && total <= fold_from, this.open_output, this.redraw);
                this.groups.set(role, group);
                by_id("tasks").append(group.body);
            }
            group.show(tasks.map((task) => {
                const name = `${role}:${task.index}`;
                return { name, task, words: wanted === "" ? "" : cells(name, task)
                        .map(([, , text]) => text).join(" ").toLowerCase() };
            }), wanted);
        }
        this.usage.show(status, [...this.groups.values()].flatMap((group) => group.visible));
        this.show_usage();
        this.show_counts(roles.flatMap(([, { tasks }]) => tasks));
    }
    /** A column of which nobody has anything is left out. */
    show_usage() {
        const table = by_id("tasks");
        for (const group of this.groups.values()) {
            group.show_usage(this.usage);
        }
        for (const [field] of usage_fields) {
            const cells = Array.from(table.querySelectorAll(`td[data-field=${field}]`));
            table.classList.toggle(`no-${field}`, cells.every((cell) => cell.textContent === ""));
        }
    }
    show_counts(tasks) {
        show_items(by_id("counts"), states
            .map((state) => ({ state, count: tasks.filter((task) => task.state === state).length }))
            .filter(({ count }) => count > 0)
            .map(({ state, count }) => make("li", `${count_text(count)} ${state}`, { "data-state": state })));
    }
}
