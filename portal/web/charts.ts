// Charts of what tasks use and report: for a task, a role or all, live and afterwards.

import { by_id, make, make_button, set_text, show_text } from "./dom.js";
import { Trouble, pause, read } from "./session.js";
import { ChartKind, MetricName, RawSeries, SeriesStore, align, charts_of, combine, value_text }
  from "./series.js";
import { Status, clock_text } from "./status.js";

/** More lines are combined to two. */
const lines_max = 100;
const each_max = 12;
const chart_px = 190;
/** With its title and what its lines are. */
const chart_box_px = 249;
const poll_ms = 1000;
/** The server keeps seconds for a while, tens of seconds for longer, minutes for ever. */
const spans: Record<string, [number, number]> = {
  "5 min": [300, 1], "1 h": [3600, 10], all: [Infinity, 60],
};
const hues = [212, 24, 145, 282, 48, 340, 178, 90];

function colour_of(index: number, dark: boolean): string {
  const hue = (hues[index % hues.length] ?? 0) + 17 * Math.floor(index / hues.length);
  return `hsl(${hue % 360} 65% ${dark ? 64 : 40}%)`;
}

/** Steps of an axis of bytes. */
const powers = Array.from({ length: 60 }, (_, power) => 2 ** power);

/** Steps of an axis of seconds since a beginning. */
const seconds_apart = [1, 2, 5, 10, 15, 30].flatMap((step) => [step, 60 * step, 3600 * step])
  .concat(Array.from({ length: 20 }, (_, power) => 86_400 * 2 ** power)).sort((a, b) => a - b);

/** Seconds since 1970 as the clock shows them, with the day where it changes. */
function times_text(times: number[]): string[] {
  const fine = (times[1] ?? 0) - (times[0] ?? 0) < 60;
  return times.map((time, index) => {
    const clock = clock_text(1000 * time, false);
    const day = new Date(1000 * time).toDateString();
    const before = times[index - 1];
    const new_day = before !== undefined && new Date(1000 * before).toDateString() !== day;
    return `${fine ? clock : clock.slice(0, 5)}${new_day ? `\n${day.slice(4, 10)}` : ""}`;
  });
}

export function load_library(): Promise<typeof UPlot> {
  return new Promise((loaded, failed) => {
    const script = make("script", "", { src: "uplot.js" });
    script.addEventListener("load", () =>
      window.uPlot === undefined ? failed(new Error("no uPlot")) : loaded(window.uPlot));
    script.addEventListener("error", () => failed(new Error("uPlot could not be loaded")));
    document.head.append(script);
  });
}

/** Pixels that an axis needs for its labels, beside its ticks; charts of short labels are aligned. */
function room_for(labels: string[]): number {
  return Math.max(74, 18 + 7 * Math.max(0, ...labels.map((label) => label.length)));
}

/** One chart. Its times are seconds since 1970, unless `at_text` says how to read them. */
export class Chart {
  readonly box = make("figure", "", { class: "chart" });
  private readonly place = make("div");
  private readonly legend = make("figcaption");
  private plot: UPlot | null = null;
  private labels: string[] = [];
  private data: (number | null)[][] = [[]];
  private shape = "";
  private near: number | null = null;

  constructor(readonly kind: ChartKind, private readonly library: typeof UPlot,
    private readonly at_text = times_text) {
    this.box.dataset["chart"] = kind.title;
    this.box.append(make("h3", kind.title), this.place, this.legend);
  }

  show(labels: string[], data: (number | null)[][], dashed: boolean[], dark: boolean): void {
    this.labels = labels;
    this.data = data;
    const width = Math.max(200, this.box.clientWidth);
    const shape = JSON.stringify([labels, dashed, dark]);
    if (this.plot === null || shape !== this.shape) {
      this.plot?.destroy();
      this.shape = shape;
      this.plot = this.make_plot(width, dashed, dark);
    } else {
      this.plot.setSize({ width, height: chart_px });
      this.plot.setData(data);
    }
    this.show_legend();
  }

  destroy(): void {
    this.plot?.destroy();
    this.box.remove();
  }

  private make_plot(width: number, dashed: boolean[], dark: boolean): UPlot {
    const ink = dark ? "#a3afbf" : "#566273";
    const grid = dark ? "#2a323d" : "#e4e8ed";
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 },
      font: "12px system-ui, sans-serif" };
    return new this.library({
      width, height: chart_px, legend: { show: false },
      cursor: { sync: { key: "muster" }, points: { show: this.labels.length <= each_max },
        focus: { prox: 24 }, drag: { x: true, y: false } },
      focus: { alpha: 0.25 },
      scales: { x: { time: this.at_text === times_text }, y: { range: (_, low, high) => {
        const bottom = Math.min(0, low);
        return [bottom, high > bottom ? high + (high - bottom) * 0.05 : bottom + 1];
      } } },
      axes: [{ ...axis, space: 70, values: (_, times) => this.at_text(times),
        ...(this.at_text === times_text ? {} : { incrs: seconds_apart }) },
        { ...axis, size: (_, labels) => room_for(labels ?? []), values: (_, values) =>
          values.map((value) => value_text(value, this.kind.unit)),
        ...(this.kind.unit.startsWith("By") ? { incrs: powers } : {}) }],
      series: [{}, ...this.labels.map((label, index) => ({ label, width: dashed[index] ? 1.5 : 1.25,
        stroke: dashed[index] ? (dark ? "#ff8f87" : "#b3261e") : colour_of(index, dark),
        ...(dashed[index] ? { dash: [6, 4] } : {}), spanGaps: false,
        points: { show: false } }))],
      hooks: { setCursor: [() => this.show_legend()],
        setSeries: [(_, index) => {
          this.near = index;
          this.show_legend();
        }] },
    }, this.data, this.place);
  }

  /** What the lines are now, or under the pointer. */
  private show_legend(): void {
    const at = this.plot?.cursor.idx ?? null;
    const value_of = (index: number): number | null | undefined => {
      const column = this.data[index + 1] ?? [];
      for (let place = at ?? column.length - 1; place >= 0; --place) {
        if (column[place] !== undefined) {
          return column[place];
        }
      }
      return null;
    };
    const near = this.near === null || this.near === 0 ? [] : [this.near - 1];
    const shown = this.labels.length <= each_max ? this.labels.map((_, index) => index) : near;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const items = shown.map((index) => {
      const item = make("span", `${this.labels[index] ?? ""} `);
      item.append(make("b", value_text(value_of(index), this.kind.unit)));
      item.style.setProperty("--line-colour", this.labels[index] === "limit"
        ? "var(--bad)" : colour_of(index, dark));
      return item;
    });
    if (items.length === 0) {
      items.push(make("span", `${this.labels.length} lines; point at one to see its task`,
        { class: "faint" }));
    }
    this.legend.replaceChildren(...items);
  }
}

/** The section of the page. */
export class ChartPanel {
  private library: typeof UPlot | null = null;
  private readonly store = new SeriesStore();
  private charts: Chart[] = [];
  private names: MetricName[] = [];
  private scope = "";
  private span = "5 min";
  private combined: "auto" | "each" | "sum" | "mean" = "auto";
  private status: Status | null = null;
  private visible = false;
  /** Seconds between points, at least. */
  private finest = 1;
  /** What is shown has been read. */
  private answered = false;
  /** How often something else was wanted. */
  private wishes = 0;
  private awake = false;
  private resume: () => void = () => undefined;

  constructor(private readonly base: string) {
    new IntersectionObserver((entries) => {
      this.visible = entries.some((entry) => entry.isIntersecting);
      this.wake();
    }, { rootMargin: "200px" }).observe(by_id("charts"));
    by_id("chart-scope").addEventListener("change", () => {
      this.scope = by_id<HTMLSelectElement>("chart-scope").value;
      this.begin_again();
    });
    by_id("chart-lines").addEventListener("change", () => {
      this.combined = by_id<HTMLSelectElement>("chart-lines").value as typeof this.combined;
      this.draw();
    });
    for (const name of Object.keys(spans)) {
      by_id("chart-spans").append(make_button(name, { class: "chip", "data-span": name,
        "aria-pressed": String(name === this.span) }, () => {
        this.span = name;
        for (const chip of Array.from(by_id("chart-spans").children)) {
          chip.setAttribute("aria-pressed", String((chip as HTMLElement).dataset["span"] === name));
        }
        this.begin_again();
      }));
    }
    by_id<HTMLDetailsElement>("chart-rest").addEventListener("toggle", () => this.begin_again());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(by_id("chart-list"));
    document.addEventListener("visibilitychange", () => this.wake());
    void this.run();
  }

  show(status: Status): void {
    const before = this.status;
    this.status = status;
    this.show_scopes(status);
    if (before?.phase !== status.phase) {
      if (status.phase === "ended" && before === null) {
        this.span = "all";
        for (const chip of Array.from(by_id("chart-spans").children)) {
          chip.setAttribute("aria-pressed", String((chip as HTMLElement).dataset["span"] === "all"));
        }
      }
      this.wake();
    }
  }

  /** Shows the charts of one task. */
  choose(task: string): void {
    this.scope = task;
    by_id<HTMLSelectElement>("chart-scope").value = task;
    this.begin_again();
    by_id("charts").scrollIntoView({ block: "start" });
  }

  private show_scopes(status: Status): void {
    const select = by_id<HTMLSelectElement>("chart-scope");
    const roles = Object.entries(status.roles);
    const text = roles.map(([role, { tasks }]) => `${role}${tasks.length}`).join();
    if (select.dataset["roles"] === text) {
      return;
    }
    select.dataset["roles"] = text;
    select.replaceChildren(make("option", "all tasks", { value: "" }));
    for (const [role, { tasks }] of roles) {
      const group = make("optgroup", "", { label: role });
      group.append(make("option", `all of ${role}`, { value: role }));
      for (const task of tasks.slice(0, 2000)) {
        group.append(make("option", `${role}:${task.index}`));
      }
      select.append(group);
    }
    select.value = this.scope;
  }

  private admits(task: string): boolean {
    return this.scope === "" || task === this.scope || task.split(":")[0] === this.scope;
  }

  private begin_again(): void {
    this.forget();
    this.wake();
  }

  private forget(): void {
    this.store.clear();
    this.answered = false;
    ++this.wishes;
  }

  /** Ends a sleep, or keeps the next from beginning: what is wanted meanwhile is not forgotten. */
  private wake(): void {
    this.awake = true;
    this.resume();
  }

  private sleep(): Promise<void> {
    return new Promise((done) => {
      this.resume = done;
      if (this.awake) {
        done();
      }
    });
  }

  private async run(): Promise<void> {
    let failures = 0;
    for (;;) {
      this.awake = false;
      const status = this.status;
      const over = status?.phase === "ended";
      // What a job has measured is read before its master leaves, whether one looks or not.
      const leaves = status?.phase === "stopping";
      const wanted = (this.visible && !document.hidden) || leaves;
      if (status !== null && (wanted || over || this.names.length === 0)) {
        try {
          await this.poll();
          failures = 0;
        } catch {
          ++failures;
        }
      }
      // A job that has ended is read once; what is asked for anew wakes this.
      const begins = this.names.length === 0 && !document.hidden && failures === 0;
      if (over || failures > 5 || (!wanted && !begins)) {
        await Promise.race([this.sleep(), over ? new Promise<void>(() => undefined)
          : pause(wanted ? 10_000 : 5000)]);
      } else {
        await Promise.race([this.sleep(), pause(poll_ms)]);
      }
    }
  }

  /** A small job's charts are there before anybody comes near them, once. */
  private is_large(): boolean {
    const roles = Object.values(this.status?.roles ?? {});
    return roles.reduce((sum, { tasks }) => sum + tasks.length, 0) > lines_max;
  }

  private async poll(): Promise<void> {
    const { names } = await read<{ names: MetricName[] }>(`${this.base}api/metrics/names`);
    const changed = names.length !== this.names.length;
    this.names = names;
    this.keep_room();
    this.show_note();
    by_id("charts").hidden = names.length === 0;
    by_id("charts-link").hidden = names.length === 0;
    const leaves = this.status?.phase === "stopping" || this.status?.phase === "ended";
    if (names.length === 0 || (!this.visible && !leaves && (this.answered || this.is_large()))) {
      return;
    }
    this.library = this.library ?? await load_library();
    if (changed || this.charts.length === 0) {
      this.make_charts(this.library);
    }
    const [seconds, step] = this.step();
    const now = Date.now() / 1000;
    const begin = this.store.newest > 0 ? this.store.newest
      : seconds === Infinity ? 0 : this.status?.phase === "ended"
        ? Date.parse(this.status.ended ?? "") / 1000 - seconds : now - seconds;
    const query = [`from=${Math.max(0, Math.floor(begin))}`, `step=${step}`,
      ...(this.scope === "" ? [] : [`task=${encodeURIComponent(this.scope)}`]), ...this.wanted_names().map((name) =>
        `name=${encodeURIComponent(name)}`)].join("&");
    const { wishes } = this;
    try {
      const answer = await read<{ series: RawSeries[] }>(`${this.base}api/metrics?${query}`);
      if (wishes !== this.wishes) {
        return;  // It answers what is not wanted any more; what is wanted now is asked for next.
      }
      this.store.take(answer.series);
      this.answered = true;
    } catch (trouble) {
      // A master refuses an answer that would be too long: coarser ones are shorter.
      if (this.finest >= 60 || !(trouble instanceof Trouble) || !trouble.message.endsWith("400")) {
        throw trouble;
      }
      this.finest *= this.finest === 1 ? 10 : 6;
      this.begin_again();
    }
    this.draw();
  }

  /** Seconds, and how far apart the points are. */
  private step(): [number, number] {
    const [seconds, step] = spans[this.span] ?? [300, 1];
    const begun = Date.parse(this.status?.started ?? "");
    const until = this.status?.ended == null ? Date.now() : Date.parse(this.status.ended);
    const ran = (until - begun) / 1000;
    // Of a short job everything is shown finely.
    const fitting = seconds === Infinity && ran < 1800 ? ran < 600 ? 1 : 10 : step;
    return [seconds, Math.max(fitting, this.finest)];
  }

  private wanted_names(): string[] {
    const opened = by_id<HTMLDetailsElement>("chart-rest").open;
    return [...new Set(this.charts.filter(({ kind }) => opened || kind.rest !== true)
      .flatMap(({ kind }) => kind.limit === undefined ? kind.names : [...kind.names, kind.limit]))];
  }

  /** Charts are drawn when somebody comes near them: what is below them must not move then. */
  private keep_room(): void {
    const list = by_id("chart-list");
    const count = charts_of(this.names).filter((kind) =>
      kind.rest !== true && kind.may_be_nothing !== true).length;
    const columns = getComputedStyle(list).gridTemplateColumns.split(" ").length;
    list.style.minHeight = this.charts.length > 0 ? ""
      : `${Math.ceil(count / columns) * chart_box_px}px`;
  }

  /** What is the same as before keeps its place and its size. */
  private make_charts(library: typeof UPlot): void {
    const before = new Map(this.charts.map((chart) => [JSON.stringify(chart.kind), chart]));
    this.charts = charts_of(this.names).map((kind) => {
      const text = JSON.stringify(kind);
      const known = before.get(text);
      before.delete(text);
      return known ?? new Chart(kind, library);
    });
    for (const gone of before.values()) {
      gone.destroy();
    }
    by_id("chart-list").replaceChildren(...this.charts.filter(({ kind }) => kind.rest !== true)
      .map(({ box }) => box));
    const rest = this.charts.filter(({ kind }) => kind.rest === true);
    by_id("chart-rest-list").replaceChildren(...rest.map(({ box }) => box));
    by_id("chart-rest").hidden = rest.length === 0;
    set_text(by_id("chart-rest-title"), `${rest.length} more: threads, files, the hosts …`);
    this.forget();
  }

  private draw(): void {
    if (this.charts.length === 0) {
      return;
    }
    const opened = by_id<HTMLDetailsElement>("chart-rest").open;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const [, step] = this.step();
    for (const chart of this.charts) {
      if (chart.kind.rest !== true || opened) {
        this.draw_chart(chart, step, dark);
      }
    }
    this.show_note();
  }

  private show_note(): void {
    const any = this.charts.some(({ kind }) => kind.names.some((name) =>
      this.store.tasks_of(name, (task) => this.admits(task)).length > 0));
    show_text(by_id("chart-note"), any ? null
      : this.answered ? "Nothing was measured during this time." : "Loading the measurements …");
  }

  private draw_chart(chart: Chart, step: number, dark: boolean): void {
    const { kind } = chart;
    const [name = ""] = kind.names;
    const tasks = this.store.tasks_of(name, (task) => this.admits(task));
    const points = tasks.map((task) => this.store.points(name, task, kind.rate === true));
    chart.box.hidden = tasks.length === 0 || (kind.may_be_nothing === true &&
      points.every(([, values]) => values.every((value) => value === null || value === 0)));
    if (chart.box.hidden) {
      return;
    }
    const limits = kind.limit === undefined ? []
      : this.store.tasks_of(kind.limit, (task) => this.admits(task))
        .map((task) => this.store.points(kind.limit ?? "", task, false));
    const [times = [], ...columns] = align([...points, ...limits], step);
    const own = columns.slice(0, points.length);
    const how = this.combined === "auto" ? tasks.length > each_max ? "mean" : "each"
      : this.combined;
    if (how === "each" && own.length <= lines_max) {
      const limit = limits.length === 0 ? [] : [combine(columns.slice(points.length), "max")];
      chart.show([...tasks, ...limit.map(() => "limit")], [times, ...own, ...limit],
        [...tasks.map(() => false), ...limit.map(() => true)], dark);
      return;
    }
    const sum = how === "sum";
    const limit = limits.length === 0 ? []
      : [combine(columns.slice(points.length), sum ? "sum" : "max")];
    const count = `${tasks.length.toLocaleString("en-US")} ${tasks.length === 1 ? "task" : "tasks"}`;
    const labels = sum ? [`sum of ${count}`] : [`mean of ${count}`, "largest"];
    const lines = sum ? [combine(own, "sum")] : [combine(own, "mean"), combine(own, "max")];
    chart.show([...labels, ...limit.map(() => "limit")], [times, ...lines, ...limit],
      [...labels.map(() => false), ...limit.map(() => true)], dark);
  }
}
