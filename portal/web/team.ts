// The jobs of a team: signs in where nobody has said who looks, then lists what they may see. The
// filters stand in the address, so that a link to a list stays valid.

import { badge, by_id, make, set_text, show_text } from "./dom.js";
import { keep_session, open_session, pause, read } from "./session.js";
import { duration_text, moment_text } from "./status.js";

interface Job {
  key: string;
  job: string;
  user: string;
  queue: string;
  state: string;
  class: string | null;
  tasks: number;
  submitted: string;
  duration_ms: number;
  page: string | null;
  /** The first of them, by name, and how many there are. */
  hosts: string[];
  host_count: number;
  /** What it did on the host that this page is of. */
  here: { attempts: number; failed: number } | null;
}

interface Sums {
  ran_ms: number;
  states: Record<string, number>;
  classes: Record<string, number>;
  attempts: number;
  attempts_failed: number;
}

interface List {
  viewer: string;
  notice: string | null;
  total: number;
  sums: Sums;
  jobs: Job[];
  users: string[];
  queues: string[];
  classes: string[];
  states: string[];
}

const rows_shown = 100;
const refresh_ms = 5000;
const fields = ["user", "queue", "state", "class", "name", "from", "to"] as const;
const choices = { user: "users", queue: "queues", state: "states", class: "classes" } as const;

function field(name: string): HTMLInputElement | HTMLSelectElement {
  return document.querySelector(`#filters [name=${name}]`) as HTMLInputElement;
}

type Kind = "user" | "queue" | "host";

/** Whose page this is: "#/user/alice"; null for that of all jobs. */
function subject(): { kind: Kind; name: string } | null {
  const found = /^#\/(user|queue|host)\/([^/]+)$/.exec(location.hash);
  if (found === null) {
    return null;
  }
  try {
    return { kind: found[1] as Kind, name: decodeURIComponent(found[2] ?? "") };
  } catch {
    return null;
  }
}

function offset(): number {
  return Number(new URLSearchParams(location.search).get("offset") ?? "0") || 0;
}

/** What the list is asked for: days of this browser's clock become moments. */
function query(): string {
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
    } else {
      wanted.set(name, value);
    }
  }
  const of = subject();
  if (of !== null) {
    wanted.set(of.kind, of.name);
  }
  return wanted.toString();
}

function keep_in_address(from: number): void {
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
function offer(name: keyof typeof choices, values: string[]): void {
  const select = field(name) as HTMLSelectElement;
  const chosen = select.value || (new URLSearchParams(location.search).get(name) ?? "");
  const all = chosen === "" || values.includes(chosen) ? values : [...values, chosen].sort();
  const offered = Array.from(select.options).slice(1).map((option) => option.value);
  if (offered.join("\n") !== all.join("\n")) {
    select.replaceChildren(make("option", "all", { value: "" }),
      ...all.map((value) => make("option", value, { value })));
  }
  select.value = chosen;
}

function cell(label: string, content: Node | string): HTMLTableCellElement {
  const made = make("td", "", { "data-label": label });
  made.append(content);
  return made;
}

/** The keys of those that are chosen to be compared, in the order of choosing. */
let chosen: string[] = [];

function choose(key: string, on: boolean): void {
  chosen = [...chosen.filter((each) => each !== key), ...(on ? [key] : [])].slice(-2);
  for (const box of Array.from(document.querySelectorAll<HTMLInputElement>("#jobs input"))) {
    box.checked = chosen.includes(box.value);
  }
  const link = by_id<HTMLAnchorElement>("compare");
  link.hidden = chosen.length < 2;
  link.href = `compare.html?one=${encodeURIComponent(chosen[0] ?? "")}` +
    `&other=${encodeURIComponent(chosen[1] ?? "")}`;
}

function make_box(key: string): HTMLInputElement {
  const box = make("input", "", { type: "checkbox", value: key, "aria-label": `compare ${key}` });
  box.checked = chosen.includes(key);
  box.addEventListener("change", () => choose(key, box.checked));
  return box;
}

/** A link to the page of a user, a queue or a host. */
function make_link(kind: Kind, name: string): Node {
  return name === "" ? document.createTextNode("")
    : make("a", name, { href: `#/${kind}/${encodeURIComponent(name)}` });
}

function make_hosts(job: Job): Node {
  const cell_content = make("span", "");
  const [first = ""] = job.hosts;
  if (job.here !== null) {
    cell_content.append(count_text(job.here.attempts, "attempt"),
      job.here.failed > 0 ? `, ${job.here.failed} failed` : "");
  } else if (first !== "") {
    cell_content.append(make_link("host", first));
    if (job.host_count > 1) {
      cell_content.append(` +${job.host_count - 1}`);
      cell_content.title = job.hosts.join(", ") + (job.host_count > job.hosts.length ? ", …" : "");
    }
  }
  return cell_content;
}

function make_state(job: Job): Node {
  const state = make("span", "");
  state.append(badge(job.state));
  if (job.page !== null && /^https?:\/\//.test(job.page)) {
    state.append(" ", make("a", "live", { href: job.page, title: "the job's own page" }));
  }
  return state;
}

function make_row(job: Job): HTMLTableRowElement {
  const row = make("tr", "", { "data-job": job.key });
  row.append(
    cell("Compare", make_box(job.key)),
    cell("Job", make("a", job.job, { href: `jobs/${encodeURIComponent(job.key)}/` })),
    cell("User", make_link("user", job.user)),
    cell("Queue", make_link("queue", job.queue)),
    cell("State", make_state(job)),
    cell("Tasks", job.tasks === 0 ? "" : String(job.tasks)),
    cell("Hosts", make_hosts(job)),
    cell("Submitted", moment_text(Date.parse(job.submitted))),
    cell("Ran", duration_text(job.duration_ms)),
    cell("Class", job.class ?? ""),
  );
  return row;
}

/** "3 succeeded, 1 failed": the most frequent first. */
function counts_text(counts: Record<string, number>): string {
  return Object.entries(counts).sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .map(([name, count]) => `${count} ${name}`).join(", ");
}

function count_text(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

const titles: Record<Kind, (name: string) => string> = {
  user: (name) => `Jobs of ${name}`,
  queue: (name) => `Jobs in the queue ${name}`,
  host: (name) => `Jobs that ran on ${name}`,
};

/** What a page of a user, a queue or a host says above its jobs. */
function show_subject(list: List): void {
  const of = subject();
  const title = of === null ? "Jobs" : titles[of.kind](of.name);
  set_text(document.querySelector("h1") as HTMLElement, title);
  document.title = `Muster: ${of === null ? "everybody's jobs" : title.toLowerCase()}`;
  by_id("all").hidden = of === null;
  for (const kind of ["user", "queue"] as const) {
    (field(kind).parentElement as HTMLElement).hidden = of?.kind === kind;
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

async function show(): Promise<void> {
  const wanted = query();
  const list = await read<List>(`api/jobs?${wanted}`);
  if (wanted !== query()) {
    return;  // Whoever has changed it has asked anew.
  }
  for (const name of Object.keys(choices) as (keyof typeof choices)[]) {
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
  by_id<HTMLButtonElement>("newer").disabled = first === 0;
  by_id<HTMLButtonElement>("older").disabled = first + rows_shown >= list.total;
  by_id("place").textContent = list.jobs.length === 0
    ? "no jobs" : `${first + 1} to ${first + list.jobs.length} of ${
      list.total.toLocaleString("en-US")}`;
  (document.querySelector("main") as HTMLElement).hidden = false;
  show_text(by_id("notice"), null);
}

function tell(trouble: unknown): void {
  show_text(by_id("notice"), trouble instanceof Error ? trouble.message : String(trouble));
}

function move(by: number): void {
  keep_in_address(Math.max(0, offset() + by));
  show().catch(tell);
}

/** Where somebody wanted to go who had to sign in: only below this portal. */
function next_place(): string | null {
  const next = new URLSearchParams(location.search).get("next");
  return next !== null && /^jobs\/[^/?#\\]+\/$/.test(next) ? next : null;
}

function sign_in(takes_tickets: boolean): Promise<void> {
  const form = by_id<HTMLFormElement>("sign-in");
  form.hidden = false;
  by_id("no-ticket").hidden = !takes_tickets;
  by_id("token").focus();
  return new Promise((done) => {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const token = by_id<HTMLInputElement>("token");
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
async function ticket_comes(): Promise<void> {
  for (const ms of [200, 800, 2000, 5000]) {
    await pause(ms);
    if ((await keep_session()).known) {
      return;
    }
  }
  return new Promise<void>(() => undefined);
}

async function run(): Promise<void> {
  const asked = new URLSearchParams(location.search);
  const next = next_place();
  await open_session();
  for (const name of fields) {
    const value = asked.get(name);
    const where = field(name);
    if (value !== null && where instanceof HTMLSelectElement && value !== "") {
      where.append(make("option", value, { value }));  // Until it is known which ones there are.
    }
    if (value !== null) {
      where.value = value;
    }
  }
  const kept = await keep_session();
  if (!kept.known) {
    await Promise.race([sign_in(kept.takes_tickets),
      kept.takes_tickets ? ticket_comes() : new Promise<void>(() => undefined)]);
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
