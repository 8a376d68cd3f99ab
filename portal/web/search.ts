// Search in output: first in the lines that are shown, then by the server in what lies beyond.

import { by_id, make_button, set_text, show_text } from "./dom.js";
import { plain_text } from "./line_view.js";
import { read } from "./session.js";
import { Line, Merge, Source } from "./source.js";
import { bytes_text } from "./status.js";

/** What a failing program says, in most languages. */
const error_words = ["error", "exception", "traceback", "fatal", "panic", "segmentation fault",
  "out of memory", "killed", "assertion"];
/** Words that stand in lines that tell of no error. */
const harmless = /\b(0|no|without) errors?\b|errors?[=: ]+0\b/i;

interface Found {
  at: number | null;
  next: number;
  over: boolean;
  begin: number;
  end: number;
}

export interface Searched {
  lines(): Line[];
  merge(): Merge | null;
  show(line: Line): void;
  jump(source: Source, offset: number): void;
  redraw(): void;
  newer(): Promise<void>;
}

export class Search {
  /** In lower case; "" while nothing is searched. */
  wanted = "";
  private current: Line | null = null;
  private working: AbortController | null = null;

  constructor(private readonly base: string, private readonly within: Searched) {
    const field = by_id<HTMLInputElement>("log-find");
    field.addEventListener("input", () => this.want(field.value));
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        void this.next(event.shiftKey);
      } else if (event.key === "Escape") {
        field.value = "";
        this.want("");
        by_id("log-text").focus();
      }
    });
    by_id("log-next").addEventListener("click", () => void this.next(false));
    by_id("log-previous").addEventListener("click", () => void this.next(true));
    by_id("log-error").addEventListener("click", () => void this.first_error());
  }

  forget(): void {
    this.current = null;
    this.stop();
  }

  /** Goes to the next line with the words, below or above the present one. */
  async next(backwards: boolean): Promise<void> {
    if (this.wanted === "") {
      by_id("log-find").focus();
      return;
    }
    const lines = this.within.lines();
    const from = this.current === null ? -1 : lines.indexOf(this.current);
    const begin = from < 0 ? (backwards ? lines.length - 1 : 0) : from + (backwards ? -1 : 1);
    for (let at = begin; at >= 0 && at < lines.length; at += backwards ? -1 : 1) {
      const line = lines[at];
      if (line !== undefined && plain_text(line).toLowerCase().includes(this.wanted)) {
        this.current = line;
        this.say("");
        this.within.show(line);
        return;
      }
    }
    await this.beyond(backwards);
  }

  async first_error(): Promise<void> {
    const merge = this.within.merge();
    if (merge === null) {
      return;
    }
    const signal = this.start();
    try {
      let best: { source: Source; at: number; ms: number } | null = null;
      for (const source of merge.sources) {
        const at = await this.find_error(source, signal);
        if (at === null) {
          continue;
        }
        const ms = merge.sources.length === 1 ? 0 : await this.time_of(source, at, signal);
        if (best === null || ms < best.ms) {
          best = { source, at, ms };
        }
      }
      this.finish(best, "No line reports an error.");
    } catch (error) {
      this.fail(signal);
    }
  }

  private want(text: string): void {
    this.stop();
    this.wanted = text.toLowerCase();
    this.current = null;
    const shown = this.wanted === "" ? 0 : this.within.lines()
      .filter((line) => plain_text(line).toLowerCase().includes(this.wanted)).length;
    this.say(this.wanted === "" ? "" : `in ${shown} of the lines shown`);
    this.within.redraw();
  }

  /** Searches what is not shown, above or below. */
  private async beyond(backwards: boolean): Promise<void> {
    const merge = this.within.merge();
    if (merge === null) {
      return;
    }
    const signal = this.start();
    try {
      let best: { source: Source; at: number; ms: number } | null = null;
      for (const source of merge.sources) {
        const own = this.within.lines().filter((line) => line.source === source);
        const border = backwards ? own[0]?.at ?? source.low : own[own.length - 1]?.end ?? source.high;
        const at = await this.find(source, border, [this.wanted], backwards, signal);
        if (at === null) {
          continue;
        }
        const ms = merge.sources.length === 1 ? 0 : await this.time_of(source, at, signal);
        if (best === null || (backwards ? ms > best.ms : ms < best.ms)) {
          best = { source, at, ms };
        }
      }
      this.finish(best, backwards ? "None above." : "None below.");
    } catch (error) {
      this.fail(signal);
    }
  }

  /** The first line with such words that is no all-clear. */
  private async find_error(source: Source, signal: AbortSignal): Promise<number | null> {
    let from = source.begin;
    for (let tries = 0; tries < 200; ++tries) {
      const at = await this.find(source, from, error_words, false, signal);
      if (at === null) {
        return null;
      }
      const [line, end] = await this.line_at(source, at, signal);
      if (!harmless.test(line)) {
        return at;
      }
      from = Math.max(end, at + 1);
    }
    return null;
  }

  private async find(source: Source, from: number, words: string[], backwards: boolean,
    signal: AbortSignal): Promise<number | null> {
    const query = words.map((word) => `word=${encodeURIComponent(word)}`).join("&");
    for (let at = from;;) {
      const place = encodeURIComponent(`${source.key}/${backwards ? "-" : ""}${at}`);
      const found = await read<Found>(`${this.base}api/find?s=${place}&${query}`, signal);
      if (found.at !== null || found.over || found.next === at) {
        return found.at;
      }
      at = found.next;
      this.say(`${source.task}: searched ${bytes_text(Math.abs(at - from))} …`);
    }
  }

  /** The line in which a byte stands, and where it ends. */
  private async line_at(source: Source, at: number, signal: AbortSignal):
  Promise<[string, number, number]> {
    const ask = async (place: string) => (await read<{ streams: {
      next: number; lines: [number, number, string][];
    }[] }>(`${this.base}api/output?s=${encodeURIComponent(place)}`, signal)).streams[0];
    const begin = (await ask(`${source.key}/-${at}`))?.next ?? at;
    const part = await ask(`${source.key}/${begin}`);
    const first = part?.lines[0];
    return [first?.[2] ?? "", part?.lines[1]?.[0] ?? part?.next ?? at, first?.[1] ?? 0];
  }

  private async time_of(source: Source, at: number, signal: AbortSignal): Promise<number> {
    return (await this.line_at(source, at, signal))[2];
  }

  private finish(best: { source: Source; at: number } | null, nothing: string): void {
    this.stop();
    if (best === null) {
      this.say(nothing);
      return;
    }
    const shown = this.within.lines().find((line) => line.source === best.source &&
      line.at <= best.at && best.at < line.end);
    this.say("");
    if (shown !== undefined) {
      this.current = shown;
      this.within.show(shown);
    } else {
      this.current = null;
      this.within.jump(best.source, best.at);
    }
  }

  private fail(signal: AbortSignal): void {
    if (!signal.aborted) {
      this.stop();
      this.say("The search stopped: no response.");
    }
  }

  private start(): AbortSignal {
    this.stop();
    this.working = new AbortController();
    this.say("Searching …");
    const cancel = make_button("Cancel", {}, () => {
      this.stop();
      this.say("");
    });
    by_id("log-found").append(" ", cancel);
    return this.working.signal;
  }

  private stop(): void {
    this.working?.abort();
    this.working = null;
  }

  private say(text: string): void {
    const place = by_id("log-found");
    const button = place.querySelector("button");
    if (this.working !== null && button !== null) {
      place.replaceChildren(text, " ", button);
      return;
    }
    show_text(place, text === "" ? null : text);
    set_text(place, text);
  }
}
