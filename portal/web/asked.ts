// What was asked for: who, when, the command, the specification and the plan.

import { by_id, make, set_text, show_text } from "./dom.js";
import { read } from "./session.js";
import { Asked, Status, bytes_text, moment_text } from "./status.js";

/** What a task's failure means for its job. */
const failure_words: Record<string, string> = {
  fails_job: "fails the job", tolerated: "tolerated, unless all fail", ignored: "ignored",
};
const plain_word = /^[A-Za-z0-9_./@%+-][A-Za-z0-9_./@%+ -]*$/;

function scalar(value: unknown): string {
  if (typeof value !== "string") {
    return JSON.stringify(value);
  }
  const is_other = /^(true|false|null|yes|no|on|off|~|[-+.\d].*)$/i.test(value);
  return plain_word.test(value) && !is_other && !value.endsWith(" ") ? value
    : JSON.stringify(value);
}

function is_empty(value: unknown): boolean {
  return value === null || value === undefined || value === "" ||
    (typeof value === "object" && Object.keys(value as object).length === 0);
}

/** A document as YAML, without what is empty. */
export function yaml_of(value: unknown, indent = ""): string {
  if (Array.isArray(value)) {
    return value.map((each) => {
      const text = yaml_of(each, `${indent}  `);
      return typeof each === "object" && each !== null
        ? `${indent}- ${text.trimStart()}` : `${indent}- ${scalar(each)}\n`;
    }).join("");
  }
  return Object.entries(value as Record<string, unknown>).map(([key, each]) => {
    if (is_empty(each)) {
      return "";
    }
    if (typeof each !== "object") {
      return `${indent}${scalar(key)}: ${scalar(each)}\n`;
    }
    const text = yaml_of(each, `${indent}  `);
    return text === "" ? "" : `${indent}${scalar(key)}:\n${text}`;
  }).join("");
}

function add_row(table: HTMLElement, cells: [string, string][]): void {
  const row = make("tr");
  for (const [label, text] of cells) {
    row.append(make("td", text, { "data-label": label }));
  }
  table.append(row);
}

function add_fact(list: HTMLElement, name: string, text: string | null, code = false): void {
  if (text === null || text === "") {
    return;
  }
  const value = make("dd");
  value.append(code ? make("code", text) : text);
  list.append(make("dt", name), value);
}

export class AskedPanel {
  private asked: Asked | null = null;
  private status: Status | null = null;

  constructor(private readonly base: string) {}

  /** Reads it once; again where that failed. */
  async load(): Promise<void> {
    if (this.asked === null) {
      this.asked = await read<Asked>(`${this.base}api/job`);
      this.draw(this.asked);
    }
  }

  show(status: Status): void {
    const hosts = new Set(Object.values(status.roles).flatMap(({ tasks }) =>
      tasks.map((task) => task.host)).filter((host) => host !== null));
    const before = this.status;
    this.status = status;
    const text = [...hosts].sort().slice(0, 4).join(", ") +
      (hosts.size > 4 ? ` and ${hosts.size - 4} more` : "");
    const field = document.getElementById("fact-hosts");
    if (field !== null) {
      set_text(field, text === "" ? "none yet" : text);
    }
    if (before?.started !== status.started && this.asked !== null) {
      this.draw(this.asked);
    }
  }

  private draw(asked: Asked): void {
    const list = by_id("asked-facts");
    list.replaceChildren();
    list.hidden = false;
    add_fact(list, "Command", asked.command, true);
    add_fact(list, "User", asked.user);
    add_fact(list, "Queue", this.status?.application_id == null ? null : asked.queue);
    list.append(make("dt", "Hosts"), make("dd", "none yet", { id: "fact-hosts" }));
    add_fact(list, "Submitted", moment_text(Date.parse(asked.submitted)));
    add_fact(list, "Folder", asked.working_folder, true);
    this.draw_plan(asked);
    by_id("spec-text").textContent = yaml_of(asked.spec);
    by_id("asked").hidden = false;
    if (this.status !== null) {
      this.show(this.status);
    }
  }

  private draw_plan(asked: Asked): void {
    const { plan } = asked;
    show_text(by_id("plan-words"), `Framework ${plan.framework}; tasks start ${
      plan.barrier === "gang" ? "all together" : "as their containers are granted"}${
      plan.chief === null ? "" : `; the chief is ${plan.chief}`}.`);
    const body = by_id("plan-roles");
    body.replaceChildren();
    for (const role of plan.roles) {
      const { restart } = role;
      add_row(body, [
        ["Role", role.name],
        ["Tasks", role.tasks_min === role.tasks ? String(role.tasks)
          : `${role.tasks_min} to ${role.tasks}`],
        ["Containers", String(role.containers)],
        ["Memory", role.memory_bytes === 0 ? "no limit" : bytes_text(role.memory_bytes)],
        ["Cores", role.vcores === 0 ? "a share" : String(role.vcores)],
        ["GPUs", String(role.gpus)],
        ["Membership", role.membership],
        ["On failure", failure_words[role.failure] ?? role.failure],
        ["Restarts", `${restart["process"] ?? 0} in place, ${restart["container"] ?? 0} in ` +
          `a new container, ${restart["host"] ?? 0} on another host`],
      ]);
    }
  }
}
