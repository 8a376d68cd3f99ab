// What became of each task's attempts, folded from the job's events.

import { JobEvent } from "./status.js";

export interface Attempt {
  task: string;
  number: number;
  host: string | null;
  /** Milliseconds since 1970; null while it has not come. */
  placed: number | null;
  started: number | null;
  ended: number | null;
  generation: number;
  exit_code: number | null;
  signal: number | null;
  class: string | null;
  checkpoints: number[];
}

/** A moment that concerns the whole job. */
export interface Mark {
  ms: number;
  kind: "generation" | "takeover" | "stop" | "lost" | "stalled";
  text: string;
}

const mark_kinds: Record<string, Mark["kind"]> = {
  "master-recovered": "takeover",
  "stop-asked": "stop",
  "agent-lost": "lost",
  "attempt-stalled": "stalled",
};

/** Takes in events, in order; what it has folded stays. */
export class Lives {
  readonly of_task = new Map<string, Attempt[]>();
  readonly marks: Mark[] = [];
  begin: number | null = null;
  last = 0;
  private generation = 0;

  take(event: JobEvent): void {
    this.begin = this.begin ?? event.ms;
    this.last = Math.max(this.last, event.ms);
    const kind = mark_kinds[event.type];
    if (kind !== undefined) {
      this.marks.push({ ms: event.ms, kind, text: event.text });
    }
    if (event.task === undefined || event.attempt === undefined) {
      return;
    }
    const attempt = this.attempt_of(event.task, event.attempt);
    attempt.host = event.host ?? attempt.host;
    attempt.placed = attempt.placed ?? event.placed ?? event.ms;
    switch (event.type) {
      case "attempt-started":
        attempt.started = event.ms;
        attempt.generation = event.generation ?? 0;
        this.note_generation(event);
        break;
      case "attempt-ended":
        attempt.ended = event.ms;
        attempt.exit_code = event.exit_code ?? null;
        attempt.signal = event.signal ?? null;
        attempt.class = event.class ?? null;
        break;
      case "checkpoint-committed":
        attempt.checkpoints.push(event.ms);
        break;
      default:
    }
  }

  private note_generation(event: JobEvent): void {
    const generation = event.generation ?? 0;
    if (generation > this.generation) {
      this.generation = generation;
      this.marks.push({ ms: event.ms, kind: "generation", text: `generation ${generation}` });
    }
  }

  private attempt_of(task: string, number: number): Attempt {
    let all = this.of_task.get(task);
    if (all === undefined) {
      all = [];
      this.of_task.set(task, all);
    }
    let attempt = all.find((each) => each.number === number);
    if (attempt === undefined) {
      attempt = { task, number, host: null, placed: null, started: null, ended: null,
        generation: 0, exit_code: null, signal: null, class: null, checkpoints: [] };
      all.push(attempt);
    }
    return attempt;
  }
}
