// Everything that happened: a list with search and kinds, the newest last.

import { by_id, make, make_button, set_text, soon } from "./dom.js";
import { JobEvent, clock_text, moment_text } from "./status.js";

/** Rows in the document; more with each wish. */
const rows_max = 200;

const kinds: [string, RegExp][] = [
  ["tasks", /^attempt-/],
  ["containers", /^(container|agent|request|launch|host|headroom|preemption)-/],
  ["checkpoints", /^checkpoint-/],
  ["job", /^(job|stop|master|deadline|endpoint|session)-/],
];

/** What one looks for first when something went wrong. */
function is_trouble(event: JobEvent): boolean {
  return /^(agent-lost|agent-suspected|request-refused|launch-failed|attempt-stalled)$/
    .test(event.type) || ((event.class ?? null) !== null &&
    event.part !== "stopped" && !/^stop/.test(event.class ?? "")) || /lost|over-memory|preempted|killed/
    .test(event.type === "container-ended" ? event.text : "");
}

export class EventPanel {
  private readonly all: JobEvent[] = [];
  private kind: string | null = null;
  private limit = rows_max;
  private readonly rows = new Map<number, HTMLElement>();
  private readonly redraw = soon(() => this.draw());

  constructor(private readonly open: (task: string, attempt: number) => void) {
    const chips = by_id("event-kinds");
    for (const name of ["all", ...kinds.map(([kind]) => kind), "trouble"]) {
      chips.append(make_button(name, { class: "chip", "data-kind": name,
        "aria-pressed": String(name === "all") }, () => {
        this.kind = name === "all" ? null : name;
        this.limit = rows_max;
        for (const chip of Array.from(chips.children)) {
          chip.setAttribute("aria-pressed", String((chip as HTMLElement).dataset["kind"] === name));
        }
        this.redraw();
      }));
    }
    by_id("event-find").addEventListener("input", this.redraw);
    by_id("event-more").addEventListener("click", () => {
      this.limit += 5 * rows_max;
      this.redraw();
    });
  }

  take(events: JobEvent[]): void {
    for (const event of events) {
      this.all.push(event);
    }
    if (events.length > 0) {
      this.redraw();
    }
  }

  private draw(): void {
    const wanted = by_id<HTMLInputElement>("event-find").value.trim().toLowerCase();
    const pattern = kinds.find(([kind]) => kind === this.kind)?.[1];
    const matching = this.all.filter((event) =>
      (pattern === undefined || pattern.test(event.type)) &&
      (this.kind !== "trouble" || is_trouble(event)) &&
      (wanted === "" || `${event.text} ${event.type} ${event.host ?? ""} ${event.class ?? ""}`
        .toLowerCase().includes(wanted)));
    const list = by_id("event-list");
    const at_end = list.scrollTop + list.clientHeight >= list.scrollHeight - 8;
    const shown = matching.slice(-this.limit);
    list.replaceChildren(...shown.map((event) => this.row_of(event)));
    if (at_end) {
      list.scrollTop = list.scrollHeight;
    }
    const left = matching.length - shown.length;
    by_id("event-more").hidden = left === 0;
    set_text(by_id("event-more"), `Show more of ${left.toLocaleString("en-US")} earlier ones`);
    const all = this.all.length.toLocaleString("en-US");
    set_text(by_id("event-count"), matching.length === this.all.length ? `${all} events`
      : `${matching.length.toLocaleString("en-US")} of ${all} events`);
  }

  private row_of(event: JobEvent): HTMLElement {
    const known = this.rows.get(event.n);
    if (known !== undefined) {
      return known;
    }
    const row = make("li", "", { "data-n": String(event.n) });
    row.classList.toggle("trouble", is_trouble(event));
    row.append(make("time", clock_text(event.ms), { title: moment_text(event.ms) }),
      make("span", event.text, { title: event.type }));
    const { task, attempt } = event;
    if (task !== undefined && attempt !== undefined && event.type === "attempt-ended") {
      row.append(make_button("output", { "aria-label": `output of ${task}, attempt ${attempt}` },
        () => this.open(task, attempt)));
    }
    this.rows.set(event.n, row);
    return row;
  }
}
