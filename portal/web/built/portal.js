// The list of jobs: opens a session, then links every job that has ended to its page.
import { by_id, make, show_text } from "./dom.js";
import { open_session, read } from "./session.js";
import { duration_text, moment_text } from "./status.js";
/** Rows at first, and with each wish for more. */
const page_rows = 100;
function cell(label, content) {
    const made = make("td", "", { "data-label": label });
    made.append(content);
    return made;
}
function make_row(base, job) {
    const row = make("tr", "", { "data-job": job.job });
    const state = job.result ?? job.phase;
    row.append(cell("Job", job.result === null
        ? job.job : make("a", job.job, { href: `${base}jobs/${encodeURIComponent(job.job)}/` })), cell("State", make("span", state, { class: "badge", "data-state": state })), cell("Tasks", String(job.tasks)), cell("Submitted", moment_text(Date.parse(job.submitted))), cell("Ran", duration_text(job.duration_ms)), cell("Class", job.class ?? ""));
    return row;
}
/** Shows the rows that match, as many as are wished for. */
function show_rows(rows, limit) {
    const wanted = by_id("filter").value.trim().toLowerCase();
    const matching = rows.filter((row) => (row.textContent ?? "").toLowerCase().includes(wanted));
    by_id("jobs").replaceChildren(...matching.slice(0, limit));
    const left = Math.max(0, matching.length - limit);
    show_text(by_id("more"), left === 0 ? null : `Show more of the other ${left}`);
    show_text(by_id("notice"), matching.length > 0 ? null
        : rows.length === 0 ? "No jobs." : "No job matches.");
}
async function run() {
    const wanted = new URLSearchParams(location.hash.slice(1)).get("job");
    const base = await open_session();
    if (wanted !== null) {
        location.replace(`${base}jobs/${encodeURIComponent(wanted)}/`);
        return;
    }
    const { jobs } = await read(`${base}api/jobs`);
    const rows = jobs.map((job) => make_row(base, job));
    let limit = page_rows;
    show_rows(rows, limit);
    by_id("filter").addEventListener("input", () => {
        limit = page_rows;
        show_rows(rows, limit);
    });
    by_id("more").addEventListener("click", () => {
        limit += 5 * page_rows;
        show_rows(rows, limit);
    });
    document.querySelector("main").hidden = false;
}
run().catch((trouble) => show_text(by_id("notice"), trouble instanceof Error ? trouble.message : String(trouble)));
