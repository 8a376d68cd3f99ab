// Two jobs side by side: how they went, what differs in their specifications, and what the values
// were that their programs reported. Both are named in the address.
import { by_id, make, show_text } from "./dom.js";
import { open_session, read } from "./session.js";
import { Chart, load_library } from "./charts.js";
import { SeriesStore, align, combine, value_text } from "./series.js";
import { duration_text, exit_text } from "./status.js";
const series_shown = 40;
/** Seconds between points: about a hundred of each series, or minutes. */
function step_of(status) {
    const ran_s = (Date.parse(status.ended ?? "") - Date.parse(status.started ?? "")) / 1000;
    return ran_s < 100 ? 1 : ran_s < 1000 ? 10 : 60;
}
async function side_of(key) {
    const at = `jobs/${encodeURIComponent(key)}/`;
    const [asked, status] = await Promise.all([
        read(`${at}api/job`), read(`${at}api/status`)
    ]);
    const { names } = await read(`${at}api/metrics/names`);
    const own = names.filter(({ name }) => name.startsWith("user.")).slice(0, series_shown);
    if (own.length === 0) {
        return { key, asked, status, series: [] };
    }
    const query = own.map(({ name }) => `name=${encodeURIComponent(name)}`).join("&");
    const { series } = await read(`${at}api/metrics?${query}&step=${step_of(status)}`);
    return { key, asked, status, series };
}
/** Every value of a document by its path: "roles.worker.memory". */
function flat(value, path = "", all = new Map()) {
    if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
        for (const [key, each] of Object.entries(value)) {
            flat(each, path === "" ? key : `${path}.${key}`, all);
        }
    }
    else if (value !== null && value !== "" && typeof value !== "object") {
        all.set(path, typeof value === "string" ? value : JSON.stringify(value));
    }
    return all;
}
function add_row(table, name, cells) {
    const row = make("tr", "", { "data-name": name });
    row.append(make("th", name, { scope: "row" }));
    for (const text of cells) {
        row.append(make("td", text, cells[0] === cells[1] ? {} : { class: "differs" }));
    }
    table.append(row);
}
function both(sides, of) {
    return [of(sides[0]), of(sides[1])];
}
function ran(status) {
    return status.started === null || status.ended === null
        ? "" : duration_text(Date.parse(status.ended) - Date.parse(status.started));
}
function restarts(status) {
    return Object.values(status.roles).flatMap(({ tasks }) => tasks)
        .reduce((sum, task) => sum + Math.max(0, task.attempts - 1), 0);
}
function cause(status) {
    const first = status.outcome?.first_cause;
    return first ? `${first.task}: ${exit_text(first)}\n${first.evidence}` : "";
}
/** Each table says whose its columns are: on a phone they are far from each other. */
function show_heads(sides) {
    for (const part of Array.from(document.querySelectorAll(".compare thead"))) {
        const head = make("tr");
        head.append(make("td", "", { class: "corner" }));
        for (const { key } of sides) {
            const cell = make("th", "", { scope: "col" });
            cell.append(make("a", key, { href: `jobs/${encodeURIComponent(key)}/` }));
            head.append(cell);
        }
        part.replaceChildren(head);
    }
}
/** Shows a table, or what is said where it has no rows. */
function show_rows(table, none, count) {
    by_id(table).parentElement.hidden = count === 0;
    by_id(none).hidden = count > 0;
}
function show_ends(sides) {
    const table = by_id("ends");
    add_row(table, "Result", both(sides, ({ status }) => status.outcome?.result ?? status.phase));
    add_row(table, "Class", both(sides, ({ status }) => status.outcome?.class ?? ""));
    add_row(table, "Submitted", both(sides, ({ asked }) => new Date(asked.submitted).toLocaleString()));
    add_row(table, "Ran", both(sides, ({ status }) => ran(status)));
    add_row(table, "Restarts", both(sides, ({ status }) => String(restarts(status))));
    add_row(table, "First cause", both(sides, ({ status }) => cause(status)));
}
function show_differences(sides) {
    const of = ({ asked }) => flat({
        ...asked.spec, user: asked.user, on: asked.on,
        working_folder: asked.working_folder
    });
    const [one, other] = [of(sides[0]), of(sides[1])];
    const names = [...new Set([...one.keys(), ...other.keys()])].sort()
        .filter((name) => one.get(name) !== other.get(name));
    for (const name of names) {
        add_row(by_id("differences"), name, [one.get(name) ?? "", other.get(name) ?? ""]);
    }
    show_rows("differences", "same", names.length);
}
/** First, best and last value of a metric, over all tasks that told it. */
function summary(side, name) {
    const told = side.series.filter((series) => series.name === name);
    const values = told.flatMap(({ points }) => points.map(([, value]) => value))
        .filter((value) => value !== null);
    const unit = told[0]?.unit ?? "";
    const last = told.flatMap(({ points }) => points).reduce((newest, point) => newest === null || point[0] >= newest[0] ? point : newest, null);
    if (values.length === 0 || last === null) {
        return "";
    }
    const text = (value) => value_text(value, unit);
    return `${text(last[1])} at the end, ${text(Math.min(...values))} to ` +
        text(Math.max(...values));
}
function names_of(sides) {
    return [...new Set(sides.flatMap(({ series }) => series.map(({ name }) => name)))].sort();
}
/** The mean of a metric over all tasks that told it, by seconds since the job began. */
function curve_of(side, name) {
    const store = new SeriesStore();
    store.take(side.series.filter((series) => series.name === name));
    const tasks = store.tasks_of(name, () => true);
    const [times = [], ...columns] = align(tasks.map((task) => store.points(name, task, false)), step_of(side.status));
    const begun = Date.parse(side.status.started ?? side.asked.submitted) / 1000;
    return [times.map((time) => Math.max(0, (time ?? 0) - begun)), combine(columns, "mean")];
}
/** "1:20", "2:05:00": how long after the beginning. */
function since_text(times) {
    const padded = (value) => String(Math.floor(value)).padStart(2, "0");
    return times.map((time) => time < 3600 ? `${Math.floor(time / 60)}:${padded(time % 60)}`
        : `${Math.floor(time / 3600)}:${padded(time % 3600 / 60)}:${padded(time % 60)}`);
}
/** Both courses in one chart for each value that both reported. */
async function show_curves(sides) {
    const names = names_of(sides).filter((name) => sides.every(({ series }) => series.some((each) => each.name === name)));
    if (names.length === 0) {
        return;
    }
    const library = await load_library();
    const step = Math.max(...sides.map(({ status }) => step_of(status)));
    const charts = names.map((name) => {
        const unit = sides[0].series.find((series) => series.name === name)?.unit ?? "";
        const kind = { title: name.replace(/^user\./, ""), names: [name], unit };
        return { chart: new Chart(kind, library, since_text),
            data: align(sides.map((side) => curve_of(side, name)), step) };
    });
    by_id("curves").replaceChildren(...charts.map(({ chart }) => chart.box));
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const draw = () => charts.forEach(({ chart, data }) => chart.show(sides.map(({ key }) => key), data, [false, false], scheme.matches));
    scheme.addEventListener("change", draw);
    new ResizeObserver(draw).observe(by_id("curves"));
}
function show_values(sides) {
    const names = names_of(sides);
    for (const name of names) {
        add_row(by_id("values"), name.replace(/^user\./, ""), both(sides, (side) => summary(side, name)));
    }
    show_rows("values", "no-curves", names.length);
}
async function run() {
    await open_session();
    const asked = new URLSearchParams(location.search);
    const [one, other] = [asked.get("one"), asked.get("other")];
    if (one === null || other === null) {
        throw new Error("name two jobs: compare.html?one=...&other=...");
    }
    const sides = await Promise.all([side_of(one), side_of(other)]);
    show_heads(sides);
    show_ends(sides);
    show_differences(sides);
    show_values(sides);
    document.querySelector("main").hidden = false;
    await show_curves(sides);
}
run().catch((trouble) => show_text(by_id("notice"), trouble instanceof Error ? trouble.message : String(trouble)));
