// The job's tasks: a table of roles that unfold; thousands of tasks stay a few lines.

import { badge, by_id, make, make_button, set_text, show_items, soon } from "./dom.js";
import { Wanted } from "./output.js";
import { make_host } from "./place.js";
import { Status, Task, exit_text } from "./status.js";
import { UsageStore, usage_fields } from "./usage.js";

export type OpenOutput = (wanted: Wanted[], stream: string) => void;

/** Jobs with more tasks begin with their roles folded. */
const fold_from = 64;
/** More tasks than this get a field to choose among them. */
const filter_from = 12;
/** Rows of one role at first, and with each wish for more: a row takes five lines on a phone. */
const page_rows = matchMedia("(max-width: 40rem)").matches ? 25 : 100;
const columns = 6 + usage_fields.length;
const states = ["waiting", "active", "succeeded", "failed", "stopped"];

interface Named {
  name: string;
  task: Task;
  /** What the filter looks at. */
  words: string;
}

function count_text(count: number): string {
  return count.toLocaleString("en-US");
}

function cells(name: string, task: Task): [string, string, string][] {
  const attempt = task.attempts === 0 ? "" : String(task.attempts);
  return [
    ["task", "Task", name],
    ["state", "State", task.state],
    ["attempt", "Attempt", attempt],
    ["host", "Host", task.host ?? ""],
    ["exit", "Exit", exit_text(task)],
  ];
}

function content_of(field: string, text: string): Node {
  return field === "state" ? badge(text) : field === "host" ? make_host(text)
    : document.createTextNode(text);
}

function make_row(name: string, task: Task, open: OpenOutput): HTMLTableRowElement {
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
  for (const [stream, label] of [["both", "output"], ["stderr", "stderr"]] as const) {
    output.append(make_button(label, { "aria-label": `${label} of ${name}` }, () =>
      open([{ task: name, attempts: Number(row.dataset["attempts"]) }], stream)), " ");
  }
  row.append(output);
  return row;
}

/** What a task uses changes by the second: only its cells are looked at then. */
function update_usage(row: HTMLTableRowElement, texts: Record<string, string>): void {
  for (const [field] of usage_fields) {
    set_text(row.querySelector(`[data-field=${field}]`) as HTMLElement, texts[field] ?? "");
  }
}

function update_row(row: HTMLTableRowElement, name: string, task: Task): void {
  row.dataset["attempts"] = String(task.attempts);
  (row.lastElementChild as HTMLElement).classList.toggle("absent", task.attempts === 0);
  for (const [field, , text] of cells(name, task)) {
    const cell = row.querySelector(`[data-field=${field}]`) as HTMLElement;
    if (cell.textContent !== text) {
      cell.replaceChildren(content_of(field, text));
    }
  }
}

/** One role: a line that unfolds, and the rows below it. */
class RoleGroup {
  readonly body = make("tbody");
  private readonly head = make("tr", "", { class: "role" });
  private readonly toggle: HTMLButtonElement;
  private readonly chips = make("span", "", { class: "chips" });
  private readonly more = make("tr", "", { class: "more" });
  private readonly more_button: HTMLButtonElement;
  private readonly rows = new Map<string, HTMLTableRowElement>();
  private shown: string[] = [];
  private limit = page_rows;
  private state: string | null = null;
  private tasks: Named[] = [];
  private is_open: boolean;

  constructor(private readonly role: string, folded: boolean, private readonly alone: boolean,
    private readonly open_output: OpenOutput, private readonly changed: () => void) {
    this.is_open = !folded;
    this.body.dataset["role"] = role;
    const cell = make("td", "", { colspan: String(columns) });
    this.toggle = make_button("", { class: "fold" }, () => {
      this.is_open = !this.is_open;
      this.state = null;
      changed();
    });
    const all = make_button("output", { "aria-label": `output of all of ${role}` }, () =>
      open_output(this.tasks.map(({ name, task }) => ({ task: name, attempts: task.attempts })),
        "both"));
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

  show(tasks: Named[], wanted: string): void {
    this.tasks = tasks;
    const matching = tasks.filter(({ task, words }) =>
      (this.state === null || task.state === this.state) &&
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
      const rows = names.map((name) => this.rows.get(name) as HTMLTableRowElement);
      this.body.replaceChildren(...(this.alone ? [] : [this.head]), ...rows, this.more);
    }
    const left = opened ? matching.length - visible.length : 0;
    this.more.hidden = left === 0;
    set_text(this.more_button, `Show more of the other ${count_text(left)}`);
    this.body.hidden = wanted !== "" && matching.length === 0;
  }

  /** The tasks whose rows are shown. */
  get visible(): string[] {
    return this.body.hidden ? [] : this.shown;
  }

  show_usage(usage: UsageStore): void {
    for (const { name, task } of this.tasks) {
      const row = this.rows.get(name);
      if (row !== undefined) {
        update_usage(row, usage.texts(name, task.state === "active"));
      }
    }
  }

  private show_head(opened: boolean): void {
    set_text(this.toggle, `${opened ? "▾" : "▸"} ${this.role}: ${
      count_text(this.tasks.length)} task${this.tasks.length === 1 ? "" : "s"}`);
    this.toggle.setAttribute("aria-expanded", String(opened));
    const counts = new Map<string, number>();
    for (const { task } of this.tasks) {
      counts.set(task.state, (counts.get(task.state) ?? 0) + 1);
    }
    const text = JSON.stringify([...counts, this.state]);
    if (this.chips.dataset["counts"] === text) {
      return;
    }
    this.chips.dataset["counts"] = text;
    this.chips.replaceChildren(...states.filter((state) => counts.has(state)).map((state) =>
      make_button(`${count_text(counts.get(state) ?? 0)} ${state}`, { "data-state": state,
        class: "chip", "aria-pressed": String(this.state === state) }, () => {
        this.state = this.state === state ? null : state;
        this.limit = page_rows;
        this.changed();
      })));
  }
}

/** The section of the page. */
export class TaskPanel {
  private readonly groups = new Map<string, RoleGroup>();
  private status: Status | null = null;
  private readonly redraw = soon(() => this.draw());
  private readonly usage: UsageStore;

  constructor(base: string, private readonly open_output: OpenOutput) {
    this.usage = new UsageStore(base, by_id("tasks"), soon(() => this.show_usage()));
    by_id("filter").addEventListener("input", this.redraw);
  }

  show(status: Status): void {
    this.status = status;
    this.draw();
  }

  /** All tasks that have had an attempt. */
  all(): Wanted[] {
    return Object.entries(this.status?.roles ?? {}).flatMap(([role, { tasks }]) =>
      tasks.map((task) => ({ task: `${role}:${task.index}`, attempts: task.attempts })))
      .filter(({ attempts }) => attempts > 0);
  }

  private draw(): void {
    const status = this.status;
    if (status === null) {
      return;
    }
    const roles = Object.entries(status.roles);
    const total = roles.reduce((sum, [, { tasks }]) => sum + tasks.length, 0);
    const wanted = by_id<HTMLInputElement>("filter").value.trim().toLowerCase();
    by_id("filter-label").hidden = total < filter_from;
    for (const [role, { tasks }] of roles) {
      let group = this.groups.get(role);
      if (group === undefined) {
        group = new RoleGroup(role, total > fold_from, roles.length === 1 && total <= fold_from,
          this.open_output, this.redraw);
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
  private show_usage(): void {
    const table = by_id("tasks");
    for (const group of this.groups.values()) {
      group.show_usage(this.usage);
    }
    for (const [field] of usage_fields) {
      const cells = Array.from(table.querySelectorAll(`td[data-field=${field}]`));
      table.classList.toggle(`no-${field}`, cells.every((cell) => cell.textContent === ""));
    }
  }

  private show_counts(tasks: Task[]): void {
    show_items(by_id("counts"), states
      .map((state) => ({ state, count: tasks.filter((task) => task.state === state).length }))
      .filter(({ count }) => count > 0)
      .map(({ state, count }) => make("li", `${count_text(count)} ${state}`,
        { "data-state": state })));
  }
}
