// The jobs of a team: signs in where nobody has said who looks, then lists what they may see. The
// filters stand in the address, so that a link to a list stays valid.
import { badge, by_id, make, set_text, show_text } from "./dom.js";
import { keep_session, open_session, pause, read } from "./session.js";
import { duration_text, moment_text } from "./status.js";
const rows_shown = 100;
const refresh_ms = 5000;
const fields = ["user", "queue", "state", "class", "name", "from", "to"];
const choices = { user: "users", queue: "queues", state: "states", class: "classes" };
function field(name) {
    return document.querySelector(`#filters [name=${name}]`);
}
/** Whose page this is: "#/user/alice"; null for that of all jobs. */
function subject() {
    const found = /^#\/(user|queue|host)\/([^/]+)$/.exec(location.hash);
    if (found === null) {
        return null;
    }
    try {
        return { kind: found[1], name: decodeURIComponent(found[2] ?? "") };
    }
    catch {
        return null;
    }
}
function offset() {
    return Number(new URLSearchParams(location.search).get("offset") ?? "0") || 0;
}
/** What the list is asked for: days of this browser's clock become moments. */
function query() {
    const wanted = new URLSearchParams({ limit: String(rows_shown), offset: String(offset()) });
    for (const name of fields) {
        const value = field(name).value.trim();
        if (value === "") {
            continue;
        }
        if (name === "from" || name === "to") {
            const day = new Date(`${value}T00:00`);
            day.setDate(day.getDate() + (name === "to" ? 1 : 0));
            wanted.set(name, String(Math.max(0, day.getTime())));
        }
        else {
            wanted.set(name, value);
        }
    }
    const of = subject();
    if (of !== null) {
        wanted.set(of.kind, of.name);
    }
    return wanted.toString();
}
function keep_in_address(from) {
    const kept = new URLSearchParams();
    for (const name of fields) {
        const value = field(name).value.trim();
        if (value !== "") {
            kept.set(name, value);
        }
    }
    if (from > 0) {
        kept.set("offset", String(from));
    }
    const text = kept.toString();
    history.replaceState(null, "", location.pathname + (text === "" ? "" : `?${text}`) + location.hash);
}
/** Offers the values that there are, and the one that is chosen even if there are none of it. */
function offer(name, values) {
    const select = field(name);
    const chosen = select.value || (new URLSearchParams(location.search).get(name) ?? "");
    const all = chosen === "" || values.includes(chosen) ? values : [...values, chosen].sort();
    const offered = Array.from(select.options).slice(1).map((option) => option.value);
    if (offered.join("\n") !== all.join("\n")) {
        select.replaceChildren(make("option", "all", { value: "" }), ...all.map((value) => make("option", value, { value })));
    }
    select.value = chosen;
}
function cell(label, content) {
    const made = make("td", "", { "data-label": label });
    made.append(content);
    return made;
}
/** The keys of those that are chosen to be compared, in the order of choosing. */
let chosen = [];
function choose(key, on) {
    chosen = [...chosen.filter((each) => each !== key), ...(on ? [key] : [])].slice(-2);
    for (const box of Array.from(document.querySelectorAll("#jobs input"))) {
        box.checked = chosen.includes(box.value);
    }
    const link = by_id("compare");
    link.hidden = chosen.length < 2;
    link.href = `compare.html?one=${encodeURIComponent(chosen[0] ?? "")}` +
        `&other=${encodeURIComponent(chosen[1] ?? "")}`;
}
function make_box(key) {
    const box = make("input", "", { type: "checkbox", value: key, "aria-label": `compare ${key}` });
    box.checked = chosen.includes(key);
    box.addEventListener("change", () => choose(key, box.checked));
    return box;
}
/** A link to the page of a user, a queue or a host. */
function make_link(kind, name) {
    return name === "" ? document.createTextNode("")
        : make("a", name, { href: `#/${kind}/${encodeURIComponent(name)}` });
}
function make_hosts(job) {
    const cell_content = make("span", "");
    const [first = ""] = job.hosts;
    if (job.here !== null) {
        cell_content.append(count_text(job.here.attempts, "attempt"), job.here.failed > 0 ? `, ${job.here.failed} failed` : "");
    }
    else if (first !== "") {
        cell_content.append(make_link("host", first));
        if (job.host_count > 1) {
            cell_content.append(` +${job.host_count - 1}`);
            cell_content.title = job.hosts.join(", ") + (job.host_count > job.hosts.length ? ", …" : "");
        }
    }
    return cell_content;
}
function make_state(job) {
    const state = make("span", "");
    state.append(badge(job.state));
    if (job.page !== null && /^https?:\/\//.test(job.page)) {
        state.append(" ", make("a", "live", { href: job.page, title: "the job's own page" }));
    }
    return state;
}
function make_row(job) {
    const row = make("tr", "", { "data-job": job.key });
    row.append(cell("Compare", make_box(job.key)), cell("Job", make("a", job.job, { href: `jobs/${encodeURIComponent(job.key)}/` })), cell("User", make_link("user", job.user)), cell("Queue", make_link("queue", job.queue)), cell("State", make_state(job)), cell("Tasks", job.tasks === 0 ? "" : String(job.tasks)), cell("Hosts", make_hosts(job)), cell("Submitted", moment_text(Date.parse(job.submitted))), cell("Ran", duration_text(job.duration_ms)), cell("Class", job.class ?? ""));
    return row;
}
/** "3 succeeded, 1 failed": the most frequent first. */
function counts_text(counts) {
    return Object.entries(counts).sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
        .map(([name, count]) => `${count} ${name}`).join(", ");
}
function count_text(count, noun) {
    return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
const titles = {
    user: (name) => `Jobs of ${name}`,
    queue: (name) => `Jobs in the queue ${name}`,
    host: (name) => `Jobs that ran on ${name}`,
};
/** What a page of a user, a queue or a host says above its jobs. */
function show_subject(list) {
    const of = subject();
    const title = of === null ? "Jobs" : titles[of.kind](of.name);
    set_text(document.querySelector("h1"), title);
    document.title = `Muster: ${of === null ? "everybody's jobs" : title.toLowerCase()}`;
    by_id("all").hidden = of === null;
    for (const kind of ["user", "queue"]) {
        field(kind).parentElement.hidden = of?.kind === kind;
    }
    set_text(by_id("hosts-title"), of?.kind === "host" ? "Here" : "Hosts");
    const { sums } = list;
    const failures = counts_text(sums.classes);
    show_text(by_id("sums"), of === null || list.total === 0 ? null
        : `${count_text(list.total, "job")}: ${counts_text(sums.states)}; ` +
            `they ran ${duration_text(sums.ran_ms)} in all` +
            (of.kind === "host" ? `, ${count_text(sums.attempts, "attempt")} here, of which ` +
                `${sums.attempts_failed} failed` : "") +
            (failures === "" ? "" : `. Failures: ${failures}`));
}
let shown = "";
async function show() {
    const wanted = query();
    const list = await read(`api/jobs?${wanted}`);
    if (wanted !== query()) {
        return; // Whoever has changed it has asked anew.
    }
    for (const name of Object.keys(choices)) {
        offer(name, list[choices[name]]);
    }
    show_text(by_id("facts"), `signed in as ${list.viewer}`);
    show_text(by_id("away"), list.notice);
    show_subject(list);
    const first = offset();
    // What has not changed is left alone: a selection in it stays.
    const text = JSON.stringify(list.jobs);
    if (text !== shown) {
        shown = text;
        by_id("jobs").replaceChildren(...list.jobs.map(make_row));
    }
    by_id("newer").disabled = first === 0;
    by_id("older").disabled = first + rows_shown >= list.total;
    by_id("place").textContent = list.jobs.length === 0
        ? "no jobs" : `${first + 1} to ${first + list.jobs.length} of ${list.total.toLocaleString("en-US")}`;
    document.querySelector("main").hidden = false;
    show_text(by_id("notice"), null);
}
function tell(trouble) {
    show_text(by_id("notice"), trouble instanceof Error ? trouble.message : String(trouble));
}
function move(by) {
    keep_in_address(Math.max(0, offset() + by));
    show().catch(tell);
}
/** Where somebody wanted to go who had to sign in: only below this portal. */
function next_place() {
    const next = new URLSearchParams(location.search).get("next");
    return next !== null && /^jobs\/[^/?#\\]+\/$/.test(next) ? next : null;
}
function sign_in(takes_tickets) {
    const form = by_id("sign-in");
    form.hidden = false;
    by_id("no-ticket").hidden = !takes_tickets;
    by_id("token").focus();
    return new Promise((done) => {
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            const token = by_id("token");
            fetch("api/session", { method: "POST", body: token.value.trim() }).then((response) => {
                if (!response.ok) {
                    throw new Error("this portal does not know that token");
                }
                token.value = "";
                form.hidden = true;
                done();
            }).catch(tell);
        });
    });
}
/**
 * Asks again for the session of a ticket: Chromium loads the library for tickets only once a site
 * has asked for one, and that request goes without.
 */
async function ticket_comes() {
    for (const ms of [200, 800, 2000, 5000]) {
        await pause(ms);
        if ((await keep_session()).known) {
            return;
        }
    }
    return new Promise(() => undefined);
}
async function run() {
    const asked = new URLSearchParams(location.search);
    const next = next_place();
    await open_session();
    for (const name of fields) {
        const value = asked.get(name);
        const where = field(name);
        if (value !== null && where instanceof HTMLSelectElement && value !== "") {
            where.append(make("option", value, { value })); // Until it is known which ones there are.
        }
        if (value !== null) {
            where.value = value;
        }
    }
    const kept = await keep_session();
    if (!kept.known) {
        await Promise.race([sign_in(kept.takes_tickets),
            kept.takes_tickets ? ticket_comes() : new Promise(() => undefined)]);
        by_id("sign-in").hidden = true;
    }
    await show();
    if (next !== null) {
        location.replace(next);
        return;
    }
    window.addEventListener("hashchange", () => {
        // What the page is of is not chosen a second time.
        const of = subject();
        if (of !== null && of.kind !== "host") {
            field(of.kind).value = "";
        }
        keep_in_address(0);
        show().catch(tell);
    });
    by_id("filters").addEventListener("input", () => {
        keep_in_address(0);
        show().catch(tell);
    });
    by_id("filters").addEventListener("submit", (event) => event.preventDefault());
    by_id("newer").addEventListener("click", () => move(-rows_shown));
    by_id("older").addEventListener("click", () => move(rows_shown));
    setInterval(() => {
        if (!document.hidden) {
            show().catch(tell);
        }
    }, refresh_ms);
}
run().catch(tell);
