// The attempts of each task on a time axis, with what happened to them.

import { Attempt, Lives, Mark } from "./attempts.js";
import { by_id, draw, make, set_text, show_items, soon } from "./dom.js";
import { Status, clock_text, duration_text, exit_text } from "./status.js";

/** Lanes at first, and with each wish for more. */
const lanes_max = 24;
const lane_px = 22;
const axis_px = 26;
/** What names of tasks have: less on a phone, and no more than the longest needs. */
const label_min_px = 92;
const label_max_px = 240;
const letter_px = 6.9;
const marks_max = 400;

const mark_signs: Record<Mark["kind"] | "checkpoint" | "cause", string> = {
  generation: "new generation",
  takeover: "another master",
  stop: "stop",
  lost: "agent lost",
  stalled: "stalled",
  checkpoint: "checkpoint",
  cause: "first cause",
};

/** Steps of the axis, in milliseconds. */
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5,
  6e5, 9e5, 18e5, 36e5, 72e5, 216e5, 432e5, 864e5, 6048e5];

function end_kind(attempt: Attempt): string {
  if (attempt.ended === null) {
    return attempt.started === null ? "placed" : "running";
  }
  return attempt.exit_code === 0 ? "succeeded" : attempt.class === null ||
    /^(stopped|stop\.)/.test(attempt.class) ? "stopped" : "failed";
}

export class LanePanel {
  private status: Status | null = null;
  private limit = lanes_max;
  private label_px = label_min_px;
  private readonly redraw = soon(() => this.draw());

  constructor(private readonly lives: Lives,
    private readonly open: (task: string, attempt: number) => void) {
    by_id("lane-find").addEventListener("input", this.redraw);
    by_id("lane-more").addEventListener("click", () => {
      this.limit += 4 * lanes_max;
      this.redraw();
    });
    new ResizeObserver(this.redraw).observe(by_id("lanes"));
    setInterval(() => {
      if (this.status?.phase !== "ended" && !document.hidden) {
        this.redraw();
      }
    }, 1000);
  }

  show(status: Status): void {
    this.status = status;
    this.redraw();
  }

  /** The tasks worth a look come first: failed ones, then those with most attempts. */
  private tasks(): [string, Attempt[]][] {
    const wanted = by_id<HTMLInputElement>("lane-find").value.trim().toLowerCase();
    const cause = this.status?.outcome?.first_cause?.task;
    const all = [...this.lives.of_task].filter(([task, attempts]) => wanted === "" ||
      task.toLowerCase().includes(wanted) ||
      attempts.some((each) => (each.host ?? "").toLowerCase().includes(wanted)));
    const roles = Object.keys(this.status?.roles ?? {});
    const place = ([task]: [string, Attempt[]]): [number, number] => {
      const [role = "", index = ""] = task.split(":");
      return [roles.indexOf(role), Number(index)];
    };
    // As in the table: they begin in whatever order.
    all.sort((one, other) => place(one)[0] - place(other)[0] || place(one)[1] - place(other)[1]);
    if (all.length <= this.limit) {
      return all;
    }
    const weight = ([task, attempts]: [string, Attempt[]]): number => (task === cause ? 1e6 : 0) +
      attempts.length * 10 + (attempts.some((each) => end_kind(each) === "failed") ? 1000 : 0);
    return all.map((each, index) => ({ each, index }))
      .sort((one, other) => weight(other.each) - weight(one.each) || one.index - other.index)
      .slice(0, this.limit).map(({ each }) => each);
  }

  private draw(): void {
    const box = by_id("lanes");
    const begin = this.lives.begin;
    const width = box.clientWidth;
    if (begin === null || width === 0 || this.status === null) {
      return;
    }
    const ended = this.status.phase === "ended";
    // The clock here may be behind the master's.
    const end = Math.max(begin + 1000, this.lives.last, ended ? 0 : Date.now());
    const tasks = this.tasks();
    const height = axis_px + tasks.length * lane_px;
    const longest = Math.max(0, ...tasks.map(([task]) => task.length));
    this.label_px = Math.min(Math.max(label_min_px, 12 + letter_px * longest), label_max_px,
      Math.max(label_min_px, width / 4));
    const plot = Math.max(40, width - this.label_px - 12);
    const x = (ms: number): number =>
      this.label_px + plot * Math.min(1, Math.max(0, (ms - begin) / (end - begin)));
    const picture = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`,
      role: "group", "aria-label": "Attempts over time" });
    this.draw_axis(picture, begin, end, plot, height, x);
    const used = new Set<string>();
    tasks.forEach(([task, attempts], index) => {
      this.draw_lane(picture, task, attempts, axis_px + index * lane_px, end, x, used);
    });
    this.draw_marks(picture, height, x, used);
    box.replaceChildren(picture);
    const left = this.lives.of_task.size - tasks.length;
    const searching = by_id<HTMLInputElement>("lane-find").value !== "";
    by_id("lane-more").hidden = left <= 0 || searching;
    set_text(by_id("lane-more"), `Show more of the other ${left.toLocaleString("en-US")} tasks`);
    by_id("lane-find-label").hidden = this.lives.of_task.size < 12;
    show_items(by_id("lane-legend"), [...used].map((kind) => {
      const item = make("li", mark_signs[kind as keyof typeof mark_signs] ?? kind);
      item.dataset["kind"] = kind;
      return item;
    }));
  }

  private draw_axis(picture: SVGElement, begin: number, end: number, plot: number, height: number,
    x: (ms: number) => number): void {
    const step = steps.find((each) => plot * each / (end - begin) >= 70) ?? 6048e5;
    for (let at = 0; at <= end - begin; at += step) {
      const left = x(begin + at);
      picture.append(draw("line", { x1: left, x2: left, y1: axis_px - 6, y2: height,
        class: "grid" }));
      const label = draw("text", { x: left, y: axis_px - 10, class: "tick",
        "text-anchor": at === 0 ? "start" : left > this.label_px + plot - 30 ? "end" : "middle" });
      label.textContent = at === 0 ? clock_text(begin, false) : `+${duration_text(at)
        .replace(".0 s", " s").replace(" 0 s", "").replace(" 0 min", "")}`;
      picture.append(label);
    }
  }

  private draw_lane(picture: SVGElement, task: string, attempts: Attempt[], top: number,
    end: number, x: (ms: number) => number, used: Set<string>): void {
    const label = draw("text", { x: this.label_px - 8, y: top + 15, class: "lane-name",
      "text-anchor": "end" });
    const fitting = Math.floor((this.label_px - 12) / letter_px);
    label.textContent = task.length > fitting ? `…${task.slice(1 - fitting)}` : task;
    const title = draw("title", {});
    title.textContent = task;
    label.append(title);
    picture.append(label);
    for (const attempt of attempts) {
      this.draw_attempt(picture, attempt, top, end, x, used);
    }
  }

  private draw_attempt(picture: SVGElement, attempt: Attempt, top: number, end: number,
    x: (ms: number) => number, used: Set<string>): void {
    const kind = end_kind(attempt);
    const { task, number } = attempt;
    const until = attempt.ended ?? end;
    const link = draw("g", { class: "attempt", "data-kind": kind, "data-attempt":
      `${task}#${number}`, role: "button", tabindex: "0", "aria-label": this.words_of(attempt) });
    const title = draw("title", {});
    title.textContent = this.words_of(attempt);
    link.append(title);
    if (attempt.placed !== null) {
      const stop = attempt.started ?? until;
      link.append(draw("rect", { x: x(attempt.placed), y: top + 8, height: 6, class: "before",
        width: Math.max(1, x(stop) - x(attempt.placed)) }));
    }
    if (attempt.started !== null) {
      link.append(draw("rect", { x: x(attempt.started), y: top + 4, height: 14, rx: 2,
        class: "run", width: Math.max(2, x(until) - x(attempt.started)) }));
    }
    used.add(kind === "placed" ? "preparing" : kind);
    if (number > 1 && attempt.started !== null && x(until) - x(attempt.started) > 22) {
      const count = draw("text", { x: x(attempt.started) + 4, y: top + 15, class: "nth" });
      count.textContent = `#${number}`;
      link.append(count);
    }
    for (const ms of attempt.checkpoints.slice(-marks_max)) {
      link.append(draw("path", { d: `M${x(ms)} ${top}l5 5l-5 5l-5 -5z`, class: "checkpoint" }));
      used.add("checkpoint");
    }
    const cause = this.status?.outcome?.first_cause;
    if (cause?.task === task && cause.attempt === number) {
      link.append(draw("path", { class: "cause",
        d: `M${x(until) - 5} ${top + 6}l10 10m0 -10l-10 10` }));
      used.add("cause");
    }
    link.addEventListener("click", () => this.open(task, number));
    link.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.open(task, number);
      }
    });
    picture.append(link);
  }

  private draw_marks(picture: SVGElement, height: number, x: (ms: number) => number,
    used: Set<string>): void {
    for (const mark of this.lives.marks.slice(-marks_max)) {
      if (mark.kind === "generation" && mark.text === "generation 1") {
        continue;
      }
      const line = draw("line", { x1: x(mark.ms), x2: x(mark.ms), y1: axis_px - 4, y2: height,
        class: "mark", "data-kind": mark.kind });
      const title = draw("title", {});
      title.textContent = `${clock_text(mark.ms)} ${mark.text}`;
      line.append(title);
      picture.append(line);
      used.add(mark.kind);
    }
  }

  private words_of(attempt: Attempt): string {
    const parts = [`${attempt.task}, attempt ${attempt.number}`];
    if (attempt.host !== null) {
      parts.push(`on ${attempt.host}`);
    }
    if (attempt.generation > 0) {
      parts.push(`generation ${attempt.generation}`);
    }
    if (attempt.started !== null) {
      parts.push(`started ${clock_text(attempt.started)}`);
    }
    if (attempt.ended !== null) {
      const ran = attempt.started === null ? "" :
        ` after ${duration_text(attempt.ended - attempt.started)}`;
      parts.push(`ended ${clock_text(attempt.ended)}${ran}, ${exit_text(attempt)}${
        attempt.class === null ? "" : ` (${attempt.class})`}`);
    }
    if (attempt.checkpoints.length > 0) {
      const count = attempt.checkpoints.length;
      parts.push(`${count} ${count === 1 ? "checkpoint" : "checkpoints"}`);
    }
    return parts.join("; ");
  }
}
