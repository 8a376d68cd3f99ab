// Output of one or several streams as one sequence of lines, of which a window is held. What lies
// outside is fetched when the window moves.

import { read } from "./session.js";
import { StreamPart } from "./status.js";

export interface Line {
  source: Source;
  /** Offset of its first byte, and of the line after it. */
  at: number;
  end: number;
  /** When it was written, in milliseconds since 1970, or 0. */
  ms: number;
  text: string;
  /** What is missing here instead of a line, for people. */
  gap?: boolean;
}

/** Lines of one source that are held on one side of the window. */
const aside_max = 5000;
/** What came while nobody read it: beyond that, one begins again at the end. */
const behind_max = 1 << 20;

/** One stream of one attempt. */
export class Source {
  /** What the files hold, and how much had come when last asked. */
  begin = 0;
  end = 0;
  runs = true;
  /** Lines beside the window, which were fetched and are not shown. */
  before: Line[] = [];
  after: Line[] = [];
  /** What was fetched: [low, high). */
  low = 0;
  high = 0;
  /** A line whose end has not come. */
  open: Line | null = null;
  /** The last time that was known. */
  private last_ms = 0;

  constructor(readonly task: string, readonly attempt: number, readonly stream: string,
    readonly order: number) {}

  get key(): string {
    return `${this.task}/${this.attempt}/${this.stream}`;
  }

  get at_begin(): boolean {
    return this.low <= this.begin;
  }

  get at_end(): boolean {
    return this.high >= this.end || this.open !== null;
  }

  /** Forgets all lines, and begins again with this part. */
  reset(part: StreamPart): void {
    this.before = [];
    this.after = [];
    this.open = null;
    this.last_ms = 0;
    this.note(part);
    this.low = part.from;
    this.high = part.next;
  }

  lines_of(part: StreamPart): Line[] {
    this.note(part);
    const lines = part.lines.map(([at, ms, text], index): Line => {
      this.last_ms = ms === 0 ? this.last_ms : ms;
      const end = part.lines[index + 1]?.[0] ?? part.next;
      return { source: this, at, end, ms: this.last_ms, text };
    });
    return lines;
  }

  note(part: StreamPart): void {
    this.begin = part.begin;
    this.end = part.end;
    this.runs = part.runs;
  }

  keep_few(): void {
    if (this.before.length > aside_max) {
      this.before = this.before.slice(-aside_max / 2);
      this.low = this.before[0]?.at ?? this.low;
    }
    if (this.after.length > aside_max) {
      const dropped = this.after[aside_max / 2];
      this.after = this.after.slice(0, aside_max / 2);
      this.high = dropped?.at ?? this.high;
      this.open = null;
    }
  }
}

function earlier(one: Line, other: Line): boolean {
  return one.ms !== other.ms ? one.ms < other.ms : one.source.order < other.source.order;
}

/** Where lines of the window come and go. */
export interface Shown {
  /** A line that was shown is not whole any more: it comes again. */
  withdraw(line: Line): void;
}

/** Several sources as one sequence. */
export class Merge {
  private last: Promise<unknown> = Promise.resolve();
  /** How often one began. */
  private beginnings = 0;

  constructor(private readonly base: string, readonly sources: Source[],
    private readonly shown: Shown) {}

  /** Begins with the last part of each. */
  async begin_at_end(signal: AbortSignal): Promise<void> {
    const parts = await this.fetch(this.sources.map((source) => source.key), signal);
    ++this.beginnings;
    parts.forEach((part, index) => {
      const source = this.sources[index];
      if (source !== undefined) {
        source.reset(part);
        this.take_after(source, part);
        source.before = source.after;
        source.after = [];
      }
    });
  }

  /** Begins where a byte of one source is; returns where its line begins. */
  async begin_at(source: Source, offset: number, signal: AbortSignal): Promise<number> {
    const [part] = await this.fetch([`${source.key}/-${offset}`], signal);
    if (part === undefined) {
      return offset;
    }
    ++this.beginnings;
    source.reset(part);
    source.before = source.lines_of(part);
    return source.high;
  }

  /** Returns up to `count` lines that stand before the window. */
  async older(count: number, signal: AbortSignal): Promise<Line[]> {
    const lines: Line[] = [];
    while (lines.length < count) {
      const lacking = this.sources.filter((each) => each.before.length === 0 && !each.at_begin);
      if (lacking.length > 0) {
        await this.fetch_older(lacking, signal);
        continue;
      }
      const latest = this.sources.reduce<Line | null>((best, each) => {
        const last = each.before[each.before.length - 1];
        return last !== undefined && (best === null || !earlier(last, best)) ? last : best;
      }, null);
      if (latest === null) {
        break;
      }
      latest.source.before.pop();
      lines.push(latest);
    }
    return lines.reverse();
  }

  /** Returns up to `count` lines that stand after the window. One call after the other. */
  newer(count: number, signal: AbortSignal): Promise<Line[]> {
    const before = this.last;
    const work = (async () => {
      await before.catch(() => undefined);
      return this.take_newer(count, signal);
    })();
    this.last = work;
    return work;
  }

  private async take_newer(count: number, signal: AbortSignal): Promise<Line[]> {
    const lines: Line[] = [];
    while (lines.length < count) {
      const lacking = this.sources.filter((each) => each.after.length === 0 && !each.at_end);
      if (lacking.length > 0 && await this.fetch_newer(lacking, signal)) {
        continue;
      }
      const first = this.sources.reduce<Line | null>((best, each) => {
        const next = each.after[0];
        return next !== undefined && (best === null || earlier(next, best)) ? next : best;
      }, null);
      if (first === null) {
        break;
      }
      first.source.after.shift();
      lines.push(first);
    }
    return lines;
  }

  /** Gives lines back that left the window at its beginning, or at its end. */
  give_back(lines: Line[], at_begin: boolean): void {
    for (const line of at_begin ? lines : lines.reverse()) {
      if (at_begin) {
        line.source.before.push(line);
      } else {
        line.source.after.unshift(line);
      }
    }
    this.sources.forEach((source) => source.keep_few());
  }

  get has_newer(): boolean {
    return this.sources.some((source) => source.after.length > 0 || !source.at_end);
  }

  get may_grow(): boolean {
    return this.sources.some((source) => source.runs);
  }

  /** Waits for more; returns whether so much came that one better begins at the end again. */
  async wait(signal: AbortSignal): Promise<boolean> {
    const waiting = this.sources.filter((source) => source.runs && source.at_end);
    const asked = waiting.map((source) => source.high);
    if (waiting.length === 0) {
      return false;
    }
    const parts = await this.fetch(
      waiting.map((source) => `${source.key}/${source.high}/${source.end}`), signal);
    let behind = false;
    parts.forEach((part, index) => {
      const source = waiting[index];
      // What was put aside meanwhile comes again by itself.
      if (source === undefined || source.high !== asked[index]) {
        return;
      }
      behind = behind || part.end - part.next > behind_max || part.end < source.high;
      this.take_after(source, part);
    });
    return behind;
  }

  /** Throws if one began anew before the answer came: it does not belong to what is held now. */
  private async fetch(asked: string[], signal: AbortSignal): Promise<StreamPart[]> {
    const beginnings = this.beginnings;
    const query = asked.map((each) => `s=${encodeURIComponent(each)}`).join("&");
    const answer = await read<{ streams: StreamPart[] }>(`${this.base}api/output?${query}`,
      signal);
    if (signal.aborted || beginnings !== this.beginnings) {
      throw new DOMException("one began anew", "AbortError");
    }
    return answer.streams;
  }

  private async fetch_older(sources: Source[], signal: AbortSignal): Promise<void> {
    const parts = await this.fetch(sources.map((each) => `${each.key}/-${each.low}`), signal);
    parts.forEach((part, index) => {
      const source = sources[index];
      if (source === undefined) {
        return;
      }
      source.before = source.lines_of(part);
      // Nothing came: what stood there is gone.
      source.low = part.lines.length === 0 ? source.begin : part.from;
      source.end = part.end;
    });
  }

  /** Returns whether anything came. */
  private async fetch_newer(sources: Source[], signal: AbortSignal): Promise<boolean> {
    const parts = await this.fetch(sources.map((each) => `${each.key}/${each.high}`), signal);
    let came = false;
    parts.forEach((part, index) => {
      const source = sources[index];
      if (source !== undefined) {
        const before = source.high;
        this.take_after(source, part);
        const more = source.after.length > 0 || source.high > before;
        // What was said to be there does not come: it is gone.
        source.end = more ? source.end : source.high;
        came = came || more;
      }
    });
    return came;
  }

  private take_after(source: Source, part: StreamPart): void {
    if (source.open !== null) {
      const at = source.after.indexOf(source.open);
      if (at >= 0) {
        source.after.splice(at, 1);
      } else {
        this.shown.withdraw(source.open);
      }
      source.open = null;
    }
    const lines = source.lines_of(part);
    if (part.from > source.high) {
      source.after.push({ source, at: source.high, end: part.from, ms: lines[0]?.ms ?? 0,
        text: `${part.from - source.high} bytes are not kept here`, gap: true });
    }
    for (const line of lines) {
      source.after.push(line);
    }
    source.open = part.open ? lines[lines.length - 1] ?? null : null;
    source.high = Math.max(part.next, part.end < source.high ? 0 : source.high);
  }
}
