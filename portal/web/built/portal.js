// The list of jobs: opens a session, then links every job that has ended to its page.
import { by_id, make, show_text } from "./dom.js";
import { open_session, read } from "./session.js";
import { duration_text } from "./status.js";
function cell(label, content) {
    const made = make("td", "", { "data-label": label });
    made.append(content);
    return made;
}
function make_row(base, job) {
    const row = make("tr", "", { "data-job": job.job });
    const state = job.result ?? job.phase;
    row.append(cell("Job", job.result === null
        ? job.job : make("a", job.job, { href: `${base}jobs/${encodeURIComponent(job.job)}/` })), cell("State", make("span", state, { class: "badge", "data-state": state })), cell("Tasks", String(job.tasks)), cell("Submitted", new Date(job.submitted).toLocaleString()), cell("Ran", duration_text(job.duration_ms)), cell("Class", job.class ?? ""));
    return row;
}
function apply_filter() {
    const wanted = by_id("filter").value.trim().toLowerCase();
    for (const row of Array.from(by_id("jobs").children)) {
        row.hidden = wanted !== "" && !(row.textContent ?? "").toLowerCase().includes(wanted);
    }
}
async function run() {
    const wanted = new URLSearchParams(location.hash.slice(1)).get("job");
    const base = await open_session();
    if (wanted !== null) {
        location.replace(`${base}jobs/${encodeURIComponent(wanted)}/`);
        return;
    }
    const { jobs } = await read(`${base}api/jobs`);
    by_id("jobs").replaceChildren(...jobs.map((job) => make_row(base, job)));
    by_id("filter").addEventListener("input", apply_filter);
    document.querySelector("main").hidden = false;
    show_text(by_id("notice"), jobs.length === 0 ? "No jobs." : null);
}
run().catch((trouble) => show_text(by_id("notice"), trouble instanceof Error ? trouble.message : String(trouble)));
