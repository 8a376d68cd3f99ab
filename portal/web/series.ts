// What is measured of tasks, as the page holds it: points by series, and charts made of them.

/** Of schema muster.metrics/1. */
export interface RawSeries {
  task: string;
  attempt: number;
  name: string;
  unit: string;
  kind: string;
  points: [number, number | null][];
}

/** One metric of one task: over its attempts, in order of time. */
interface Held {
  task: string;
  unit: string;
  counter: boolean;
  times: number[];
  values: (number | null)[];
  attempt: number;
}

/** A chart: what it shows, and how its numbers are read. */
export interface ChartKind {
  title: string;
  /** Of each the lines; "rate" of a counter or a step. */
  names: string[];
  rate?: boolean;
  /** Of this a dashed line: the most there may be. */
  limit?: string;
  unit: string;
  /** Shown only once it is not nothing: most programs leave disks alone. */
  may_be_nothing?: boolean;
  /** Shown only when somebody opens the rest. */
  rest?: boolean;
}

const known: ChartKind[] = [
  { title: "Processor", names: ["container.cpu.usage"], unit: "cores" },
  { title: "Memory", names: ["container.memory.usage"], limit: "container.memory.limit",
    unit: "By" },
  { title: "GPU", names: ["hw.gpu.utilization"], unit: "1" },
  { title: "GPU memory", names: ["hw.gpu.memory.usage"], limit: "hw.gpu.memory.limit",
    unit: "By" },
  { title: "Disk read", names: ["container.disk.io.read"], rate: true, unit: "By/s",
    may_be_nothing: true },
  { title: "Disk written", names: ["container.disk.io.write"], rate: true, unit: "By/s",
    may_be_nothing: true },
];
/** How far the program is; the agent makes these of what it tells. */
const progress: ChartKind[] = [
  { title: "Steps per second", names: ["user.step.rate"], unit: "/s" },
  { title: "Step", names: ["user.step"], limit: "user.step.max", unit: "" },
];
/** What another chart shows already. */
const shown_elsewhere = new Set(["container.memory.limit", "hw.gpu.memory.limit",
  "container.cpu.time.user", "container.cpu.time.system"]);

export interface MetricName {
  name: string;
  unit: string;
  kind: string;
}

/** The charts for these metrics: those that everybody looks at, the program's own, the rest. */
export function charts_of(names: MetricName[]): ChartKind[] {
  const there = new Map(names.map((each) => [each.name, each]));
  const charts = known.filter((chart) => chart.names.some((name) => there.has(name)));
  const taken = new Set([...shown_elsewhere, ...known.flatMap((chart) => chart.names)]);
  for (const chart of progress.filter(({ names: [name = ""] }) => there.has(name))) {
    charts.push(chart);
    taken.add(chart.names[0] ?? "").add(chart.limit ?? "");
  }
  const others = names.filter(({ name }) => !taken.has(name))
    .sort((one, other) => one.name.localeCompare(other.name));
  const chart_of = ({ name, unit, kind }: MetricName, rest: boolean): ChartKind => ({
    title: name.replace(/^user\./, ""), names: [name], rate: kind === "counter",
    unit: kind === "counter" ? `${unit}/s` : unit, rest });
  return [...charts, ...others.filter(({ name }) => name.startsWith("user."))
    .map((each) => chart_of(each, false)),
  ...others.filter(({ name }) => !name.startsWith("user.")).map((each) => chart_of(each, true))];
}

/** Points beyond these are dropped from the beginning: a day of minutes, hours of seconds. */
const points_max = 20_000;

export class SeriesStore {
  private readonly held = new Map<string, Held>();
  /** Up to which second all are there. */
  newest = 0;

  clear(): void {
    this.held.clear();
    this.newest = 0;
  }

  take(all: RawSeries[]): void {
    const in_order = [...all].sort((one, other) => one.attempt - other.attempt);
    for (const raw of in_order) {
      const key = `${raw.name}\n${raw.task}`;
      let held = this.held.get(key);
      if (held === undefined) {
        held = { task: raw.task, unit: raw.unit, counter: raw.kind === "counter", times: [],
          values: [], attempt: raw.attempt };
        this.held.set(key, held);
      }
      this.add(held, raw);
    }
  }

  private add(held: Held, raw: RawSeries): void {
    for (const [time, value] of raw.points) {
      const last = held.times[held.times.length - 1] ?? -Infinity;
      if (raw.attempt < held.attempt || time < last) {
        continue;
      }
      if (raw.attempt > held.attempt && time > last) {
        // Between two attempts there is nothing.
        held.attempt = raw.attempt;
        if (last > -Infinity && time - last > 1) {
          held.times.push(last + (time - last) / 2);
          held.values.push(null);
        }
      }
      if (time === last) {
        held.values[held.values.length - 1] = value;
      } else {
        held.times.push(time);
        held.values.push(value);
      }
      this.newest = Math.max(this.newest, time);
    }
    if (held.times.length > points_max) {
      held.times.splice(0, held.times.length - points_max);
      held.values.splice(0, held.values.length - points_max);
    }
  }

  /** The tasks that have a metric, in the order of `wanted`. */
  tasks_of(name: string, admits: (task: string) => boolean): string[] {
    return [...this.held].filter(([key, { task }]) => key.startsWith(`${name}\n`) && admits(task))
      .map(([, { task }]) => task);
  }

  /** Times and values of a task's metric; of a rate, what it grew per second. */
  points(name: string, task: string, rate: boolean): [number[], (number | null)[]] {
    const held = this.held.get(`${name}\n${task}`);
    if (held === undefined) {
      return [[], []];
    }
    if (!rate) {
      return [held.times, held.values];
    }
    const values = held.values.map((value, index): number | null => {
      const before = index === 0 ? null : held.values[index - 1];
      const passed = (held.times[index] ?? 0) - (held.times[index - 1] ?? 0);
      // A counter that begins again has not gone backwards.
      return value === null || before == null || value < before || passed <= 0 ? null
        : (value - before) / passed;
    });
    return [held.times, values];
  }
}

/** Puts series of different times on one axis. */
export function align(all: [number[], (number | null)[]][], step: number): (number | null)[][] {
  const grid = (time: number): number => Math.round(time / step) * step;
  const times = [...new Set(all.flatMap(([own]) => own.map(grid)))].sort((a, b) => a - b);
  const place = new Map(times.map((time, index) => [time, index]));
  const columns = all.map(([own, values]) => {
    // What was not measured at a moment is no gap: only a null that was told is.
    const column: (number | null | undefined)[] = new Array(times.length);
    own.forEach((time, index) => {
      column[place.get(grid(time)) ?? 0] = values[index] ?? null;
    });
    return column as (number | null)[];
  });
  return [times, ...columns];
}

/** Of many columns one: sum, mean or largest at each time. */
export function combine(columns: (number | null)[][], how: "sum" | "mean" | "max"):
(number | null)[] {
  const size = columns[0]?.length ?? 0;
  const last: (number | null)[] = columns.map(() => null);
  return Array.from({ length: size }, (_, at) => {
    let sum = 0;
    let count = 0;
    let most = -Infinity;
    columns.forEach((column, index) => {
      // A task that was measured a moment earlier counts with that.
      const value = column[at] === undefined ? last[index] : column[at];
      last[index] = value ?? null;
      if (value != null) {
        sum += value;
        ++count;
        most = Math.max(most, value);
      }
    });
    return count === 0 ? null : how === "sum" ? sum : how === "mean" ? sum / count : most;
  });
}

/** A number with its unit, for people. */
export function value_text(value: number | null | undefined, unit: string): string {
  if (value == null) {
    return "–";
  }
  const per = unit.endsWith("/s") ? "/s" : "";
  const bare = per === "" ? unit : unit.slice(0, -2);
  if (bare === "By") {
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let shown = value;
    let index = 0;
    while (Math.abs(shown) >= 1024 && index + 1 < units.length) {
      shown /= 1024;
      ++index;
    }
    return `${digits(shown)} ${units[index] ?? ""}${per}`;
  }
  if (bare === "1") {
    return `${digits(100 * value)} %${per}`;
  }
  const words = bare.replace(/^\{(.*)\}$/, "$1").replace(/^Cel$/, "°C");
  return `${digits(value)}${words === "" ? per : ` ${words}${per}`}`;
}

function digits(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1e7)) {
    return value.toExponential(2);
  }
  return String(Number(size >= 100 ? value.toFixed(0) : value.toPrecision(3)));
}
