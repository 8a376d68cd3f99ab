// The part of the page that shows the output of tasks: a window of lines, however long they are.

import { by_id, make, set_text, show_text } from "./dom.js";
import { make_line } from "./line_view.js";
import { Search } from "./search.js";
import { pause } from "./session.js";
import { Line, Merge, Source } from "./source.js";
import { Status, bytes_text } from "./status.js";

/** Lines in the document; what comes with a step in either direction. */
const window_max = 3000;
const step = 600;
/** How near an end of the window more is fetched. */
const near_px = 600;
/** Streams that are read together; the server allows no more. */
const streams_max = 64;
/** Streams that stay readable once nobody answers any more; the one opened longest ago goes. */
const kept_max = 64;
/** One after the other, once the job has ended: its master answers no more. */
const failures_max = 3;
const again_after_ms = 2000;

export interface Wanted {
  task: string;
  attempts: number;
}

/** Shows output. */
export class OutputPanel {
  private merge: Merge | null = null;
  private lines: Line[] = [];
  private elements = new Map<Line, HTMLElement>();
  private working: AbortController | null = null;
  /** Of the work under way, while what is shown leads on to what is held: not while one goes
   *  elsewhere. */
  private placed: AbortSignal | null = null;
  private moving = false;
  private follows = true;
  private job = "";
  private ended = false;
  private wanted: Wanted[] = [];
  private readonly kept = new Map<string, Line[]>();
  private readonly text = by_id("log-text");
  private readonly search: Search;

  constructor(private readonly base: string, private readonly tasks: () => Wanted[]) {
    this.search = new Search(base, {
      lines: () => this.lines,
      merge: () => this.merge,
      show: (line) => this.show_line(line),
      jump: (source, offset) => this.jump(source, offset),
      redraw: () => this.redraw(),
      newer: () => this.step_newer(),
    });
    by_id("log-close").addEventListener("click", () => this.close());
    by_id("log-attempt").addEventListener("change", () => this.restart());
    by_id("log-stream").addEventListener("change", () => this.restart());
    by_id<HTMLFormElement>("log-choose").addEventListener("submit", (event) => {
      event.preventDefault();
      this.choose(by_id<HTMLInputElement>("log-tasks").value);
    });
    for (const name of ["wrap", "times"]) {
      by_id(`log-${name}`).addEventListener("click", () => this.toggle(name));
    }
    by_id("log-end").addEventListener("click", () => this.to_end());
    by_id("log-place").addEventListener("change", () => this.to_place());
    this.text.addEventListener("scroll", () => this.on_scroll(), { passive: true });
  }

  /** Takes in how the job stands. */
  update(status: Status): void {
    this.job = status.job;
    this.ended = status.phase === "ended";
  }

  get is_open(): boolean {
    return !by_id("log").hidden;
  }

  /** Shows the output of these tasks; "both", "stdout" or "stderr" of it. */
  open(wanted: Wanted[], stream: string): void {
    const able = wanted.filter((each) => each.attempts > 0);
    if (able.length === 0) {
      return;
    }
    by_id<HTMLSelectElement>("log-stream").value = stream;
    this.wanted = able.slice(0, streams_max / (stream === "both" ? 2 : 1));
    const select = by_id<HTMLSelectElement>("log-attempt");
    const attempts = Math.max(...this.wanted.map((each) => each.attempts));
    select.replaceChildren(make("option", "newest", { value: "0" }));
    for (let number = attempts; number > 0 && attempts > 1; --number) {
      select.append(make("option", String(number)));
    }
    by_id("log").hidden = false;
    const left_out = able.length - this.wanted.length;
    show_text(by_id("log-limit"), left_out > 0
      ? `${left_out} more ${left_out === 1 ? "task is" : "tasks are"} left out: you can follow at most ${streams_max} streams.` : null);
    this.restart();
    by_id("log").scrollIntoView({ block: "nearest" });
    this.text.focus({ preventScroll: true });
  }

  toggle(name: string): void {
    const button = by_id(`log-${name}`);
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    this.keep_place(() => this.text.classList.toggle(name, on));
  }

  to_end(): void {
    this.follows = true;
    this.begin(async (merge, signal) => merge.begin_at_end(signal));
  }

  find_next(backwards: boolean): void {
    void this.search.next(backwards);
  }

  close(): void {
    this.keep();
    this.leave();
    this.merge = null;
    by_id("log").hidden = true;
  }

  /** Takes the words of the field: "worker:0 ps", or "all". */
  private choose(text: string): void {
    const words = text.split(/[\s,]+/).filter((word) => word !== "");
    const all = this.tasks();
    const chosen = all.filter((each) => words.some((word) =>
      word === "all" || word === "*" || each.task === word || each.task.split(":")[0] === word));
    if (chosen.length === 0) {
      show_text(by_id("log-note"), `No task is called "${text}"; write worker, worker:3 or all.`);
      return;
    }
    this.open(chosen, by_id<HTMLSelectElement>("log-stream").value);
  }

  private restart(): void {
    this.keep();
    const stream = by_id<HTMLSelectElement>("log-stream").value;
    const attempt = Number(by_id<HTMLSelectElement>("log-attempt").value);
    const streams = stream === "both" ? ["stdout", "stderr"] : [stream];
    const sources = this.wanted.flatMap(({ task, attempts }, order) => streams.map((each) =>
      new Source(task, attempt === 0 ? attempts : Math.min(attempt, attempts), each, order)));
    this.merge = new Merge(this.base, sources, { withdraw: (line) => this.drop([line]) });
    const names = this.wanted.map((each) => each.task);
    const shown = names.slice(0, 3).join(", ");
    set_text(by_id("log-title"),
      `Output of ${names.length > 3 ? `${names.length} tasks` : shown}`);
    by_id<HTMLInputElement>("log-tasks").value = names.length > 3 ? "" : names.join(" ");
    this.text.classList.toggle("many", names.length > 1);
    this.text.classList.toggle("both", streams.length > 1);
    const plain = by_id("log-plain");
    plain.hidden = sources.length !== 1;
    const [first] = sources;
    plain.setAttribute("href", first === undefined ? "" : `${this.base}logs/${
      first.task.replace(":", "/")}?attempt=${first.attempt}&stream=${first.stream}`);
    this.search.forget();
    show_text(by_id("log-note"), null);
    this.put(sources.flatMap((source) => this.kept.get(source.key) ?? []), []);
    this.to_end();
  }

  /** Begins anew somewhere, and follows from there. */
  private begin(start: (merge: Merge, signal: AbortSignal) => Promise<void>,
    then?: () => void): void {
    const merge = this.merge;
    if (merge === null) {
      return;
    }
    this.leave();
    this.working = new AbortController();
    void this.run(merge, start, this.working.signal, then);
  }

  private leave(): void {
    this.working?.abort();
    this.placed = null;
  }

  private async run(merge: Merge, start: (merge: Merge, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal, then?: () => void): Promise<void> {
    let failures = 0;
    let begun = false;
    while (!signal.aborted && !(this.ended && failures >= failures_max)) {
      try {
        if (!begun) {
          this.placed = null;
          await start(merge, signal);
          const lines = await merge.older(step, signal);
          signal.throwIfAborted();
          this.put(lines, []);
          this.placed = signal;
          this.scroll_to_end();
          if (then !== undefined) {
            await this.step_newer();
            signal.throwIfAborted();
            then();
          }
          begun = true;
        } else if (!merge.may_grow) {
          await this.finish(merge);
          return;
        } else if (await merge.wait(signal) && this.follows) {
          begun = false;
          continue;
        }
        if (failures > 0) {
          // Only what this has said itself: a word on a name that was mistyped stays.
          failures = 0;
          show_text(by_id("log-note"), null);
        }
        if (!signal.aborted) {
          await this.catch_up(merge, signal);
        }
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        // What is held can still be read.
        this.placed = signal;
        ++failures;
        const task = this.wanted.length === 1 ? ` ${this.wanted[0]?.task ?? ""}` : "";
        show_text(by_id("log-note"), "No more of this output can be fetched now; " +
          `muster logs ${this.job}${task} prints it.`);
        await pause(again_after_ms);
      }
    }
  }

  /** All attempts have ended: what is left is shown. */
  private async finish(merge: Merge): Promise<void> {
    this.show_state();
    if (this.follows && merge.has_newer) {
      await this.step_newer();
    }
  }

  /** Shows what came, where somebody follows; else it says that there is more. */
  private async catch_up(merge: Merge, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && merge.has_newer &&
           (this.follows || this.lines.length < window_max)) {
      const lines = await merge.newer(step, signal);
      if (lines.length === 0 || signal.aborted) {
        break;
      }
      this.append(lines);
    }
    this.show_state();
    // One answer holds what came in a moment; a task that writes much is drawn ten times a second.
    await pause(100);
  }

  private jump(source: Source, offset: number): void {
    if (this.merge !== null && this.merge.sources.length > 1) {
      const alone = new Source(source.task, source.attempt, source.stream, source.order);
      this.keep();
      this.wanted = [{ task: source.task, attempts: source.attempt }];
      this.merge = new Merge(this.base, [alone], { withdraw: (line) => this.drop([line]) });
      this.text.classList.remove("many", "both");
      set_text(by_id("log-title"), `Output of ${source.task}`);
      by_id<HTMLSelectElement>("log-stream").value = source.stream;
    }
    const target = this.merge?.sources[0];
    if (target === undefined) {
      return;
    }
    this.follows = false;
    let place = offset;
    this.begin(async (merge, signal) => {
      place = await merge.begin_at(target, offset, signal);
    }, () => {
      const line = this.lines.find((each) => each.at >= place) ??
        this.lines[this.lines.length - 1];
      if (line !== undefined) {
        this.show_line(line);
      }
    });
  }

  private to_place(): void {
    const source = this.place_source();
    const share = Number(by_id<HTMLInputElement>("log-place").value) / 1000;
    if (source === undefined) {
      return;
    }
    if (share >= 1) {
      this.to_end();
    } else {
      this.jump(source, Math.round(source.begin + share * (source.end - source.begin)));
    }
  }

  private show_line(line: Line): void {
    this.follows = false;
    const element = this.elements.get(line);
    for (const old of Array.from(this.text.querySelectorAll(".found"))) {
      old.classList.remove("found");
    }
    if (element !== undefined) {
      element.classList.add("found");
      this.text.scrollTop = element.offsetTop - this.text.clientHeight / 3;
    }
    this.show_state();
  }

  private on_scroll(): void {
    const { scrollTop, clientHeight, scrollHeight } = this.text;
    // This comes of our own scrolling, too, while there is more to show: that ends no following.
    this.follows = this.is_at_end() && (this.follows || !this.merge?.has_newer);
    if (scrollTop < near_px) {
      void this.move(() => this.step_older());
    } else if (scrollTop + clientHeight > scrollHeight - near_px) {
      void this.move(() => this.step_newer());
    }
    this.show_state();
  }

  /** One step after the other, and none while one is under way. */
  private async move(work: () => Promise<void>): Promise<void> {
    if (this.moving) {
      return;
    }
    this.moving = true;
    try {
      await work();
    } catch {
      // Whoever follows says that nobody answers.
    } finally {
      this.moving = false;
    }
  }

  private async step_older(): Promise<void> {
    const { merge, placed: signal } = this;
    if (merge === null || signal === null || this.lines.length === 0) {
      return;
    }
    const lines = await merge.older(step, signal);
    if (signal.aborted || lines.length === 0) {
      return;
    }
    this.keep_place(() => {
      const extra = Math.max(0, this.lines.length + lines.length - window_max);
      if (extra > 0) {
        const back = this.lines.splice(this.lines.length - extra, extra);
        this.forget(back);
        merge.give_back(back, false);
      }
      const first = this.text.firstChild;
      this.text.insertBefore(this.fragment_of(lines), first);
      this.lines = [...lines, ...this.lines];
    });
    this.show_state();
  }

  private async step_newer(): Promise<void> {
    const { merge, placed: signal } = this;
    if (merge === null || signal === null || !merge.has_newer) {
      return;
    }
    const lines = await merge.newer(step, signal);
    if (!signal.aborted) {
      this.append(lines);
    }
    this.show_state();
  }

  private append(lines: Line[]): void {
    const at_end = this.follows;
    this.keep_place(() => {
      const extra = Math.max(0, this.lines.length + lines.length - window_max);
      if (extra > 0) {
        const back = this.lines.splice(0, extra);
        this.forget(back);
        this.merge?.give_back(back, true);
      }
      this.text.append(this.fragment_of(lines));
      for (const line of lines) {
        this.lines.push(line);
      }
    });
    if (at_end) {
      this.scroll_to_end();
    }
  }

  /** Shows these lines and no others. */
  private put(lines: Line[], more: Line[]): void {
    this.lines = [...lines, ...more];
    this.elements = new Map();
    this.text.replaceChildren(this.fragment_of(this.lines));
    this.show_state();
  }

  private redraw(): void {
    this.keep_place(() => {
      this.elements = new Map();
      this.text.replaceChildren(this.fragment_of(this.lines));
    });
  }

  private fragment_of(lines: Line[]): DocumentFragment {
    const fragment = document.createDocumentFragment();
    for (const line of lines) {
      const element = make_line(line, this.search.wanted);
      this.elements.set(line, element);
      fragment.append(element);
    }
    return fragment;
  }

  private drop(lines: Line[]): void {
    this.forget(lines);
    this.lines = this.lines.filter((line) => !lines.includes(line));
  }

  private forget(lines: Line[]): void {
    for (const line of lines) {
      this.elements.get(line)?.remove();
      this.elements.delete(line);
    }
  }

  /** Changes what is above or around the view without moving what one reads. */
  private keep_place(change: () => void): void {
    const top = this.text.scrollTop;
    const anchor = this.lines.find((line) => {
      const element = this.elements.get(line);
      return element !== undefined && element.offsetTop + element.offsetHeight > top;
    });
    const before = anchor === undefined ? 0 : this.elements.get(anchor)?.offsetTop ?? 0;
    change();
    const after = anchor === undefined ? undefined : this.elements.get(anchor)?.offsetTop;
    if (after !== undefined && after !== before) {
      this.text.scrollTop = top + after - before;
    }
  }

  private scroll_to_end(): void {
    this.text.scrollTop = this.text.scrollHeight;
  }

  private show_state(): void {
    const merge = this.merge;
    const source = this.place_source();
    const size = source === undefined ? 0 : source.end - source.begin;
    const slider = by_id<HTMLInputElement>("log-place");
    by_id("log-place-label").hidden = size < 1 << 20;
    const top = this.top_line();
    const at = top === undefined ? undefined
      : this.lines.slice(this.lines.indexOf(top)).find((line) => line.source === source)?.at;
    if (source !== undefined && size > 0 && (at !== undefined || this.follows)) {
      const share = this.follows ? 1 : ((at ?? source.end) - source.begin) / size;
      if (document.activeElement !== slider) {
        slider.value = String(Math.round(1000 * share));
      }
      set_text(by_id("log-where"), `${Math.round(100 * share)} % of ${bytes_text(size)}`);
    }
    const more = !this.follows && merge !== null && (merge.has_newer || !this.is_at_end());
    by_id("log-end").hidden = !more;
    by_id("log-follows").hidden = !(this.follows && merge?.may_grow === true && !this.ended);
    show_text(by_id("log-empty"), this.lines.length > 0 || merge === null ? null
      : merge.may_grow && !this.ended ? "Nothing has been written yet." : "Nothing was written.");
  }

  /** Of one task's streams the one with most output: in that one goes to some place. */
  private place_source(): Source | undefined {
    const sources = this.merge?.sources ?? [];
    return this.wanted.length !== 1 ? undefined : sources.reduce<Source | undefined>(
      (best, each) => best === undefined || each.end - each.begin > best.end - best.begin
        ? each : best, undefined);
  }

  private is_at_end(): boolean {
    return this.text.scrollTop + this.text.clientHeight >= this.text.scrollHeight - 8;
  }

  private top_line(): Line | undefined {
    const top = this.text.scrollTop;
    let low = 0;
    let high = this.lines.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      const line = this.lines[middle];
      const element = line === undefined ? undefined : this.elements.get(line);
      if (element !== undefined && element.offsetTop + element.offsetHeight <= top) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return this.lines[low];
  }

  /** Keeps what was shown, for the time when nobody answers any more. */
  private keep(): void {
    const by_source = new Map<string, Line[]>();
    for (const line of this.lines) {
      by_source.set(line.source.key, [...by_source.get(line.source.key) ?? [], line]);
    }
    for (const [key, lines] of by_source) {
      this.kept.delete(key);
      this.kept.set(key, lines);
    }
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= kept_max) {
        break;
      }
      this.kept.delete(oldest);
    }
  }
}
