// The list of jobs: opens a session, then links every job that has ended to its page.

import { by_id, make, show_text } from "./dom.js";
import { open_session, read } from "./session.js";
import { duration_text } from "./status.js";

interface Job {
  job: string;
  phase: string;
  result: string | null;
  class: string | null;
  tasks: number;
  submitted: string;
  duration_ms: number;
}

function cell(label: string, content: Node | string): HTMLTableCellElement {
  const made = make("td", "", { "data-label": label });
  made.append(content);
  return made;
}

function make_row(base: string, job: Job): HTMLTableRowElement {
  const row = make("tr", "", { "data-job": job.job });
  const state = job.result ?? job.phase;
  row.append(
    cell("Job", job.result === null
      ? job.job : make("a", job.job, { href: `${base}jobs/${encodeURIComponent(job.job)}/` })),
    cell("State", make("span", state, { class: "badge", "data-state": state })),
    cell("Tasks", String(job.tasks)),
    cell("Submitted", new Date(job.submitted).toLocaleString()),
    cell("Ran", duration_text(job.duration_ms)),
    cell("Class", job.class ?? ""),
  );
  return row;
}

function apply_filter(): void {
  const wanted = by_id<HTMLInputElement>("filter").value.trim().toLowerCase();
  for (const row of Array.from(by_id("jobs").children) as HTMLElement[]) {
    row.hidden = wanted !== "" && !(row.textContent ?? "").toLowerCase().includes(wanted);
  }
}

async function run(): Promise<void> {
  const wanted = new URLSearchParams(location.hash.slice(1)).get("job");
  const base = await open_session();
  if (wanted !== null) {
    location.replace(`${base}jobs/${encodeURIComponent(wanted)}/`);
    return;
  }
  const { jobs } = await read<{ jobs: Job[] }>(`${base}api/jobs`);
  by_id("jobs").replaceChildren(...jobs.map((job) => make_row(base, job)));
  by_id("filter").addEventListener("input", apply_filter);
  (document.querySelector("main") as HTMLElement).hidden = false;
  show_text(by_id("notice"), jobs.length === 0 ? "No jobs." : null);
}

run().catch((trouble: unknown) => show_text(by_id("notice"),
  trouble instanceof Error ? trouble.message : String(trouble)));
