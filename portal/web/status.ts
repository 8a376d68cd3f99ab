// The documents that the page reads: schemas muster.status/1, muster.changes/1,
// muster.job/1 and muster.output/1.

/** Why a task is taken to hang. */
export interface Stall {
  silent_s: number;
  sure: string;
  place: string | null;
  evidence: string;
}

export interface Task {
  index: number;
  state: string;
  attempts: number;
  host: string | null;
  exit_code: number | null;
  signal?: number | null;
  attempt_state?: string;
  stall?: Stall | null;
}

export interface Cause {
  task: string;
  attempt: number;
  host: string | null;
  exit_code: number | null;
  signal: number | null;
  evidence: string;
  hint: string | null;
  victims: number;
}

export interface Outcome {
  result: string;
  class: string | null;
  exit_status: number;
  reason: string;
  message: string | null;
  first_cause: Cause | null;
}

export interface Step {
  step: string;
  ms: number;
}

export interface Status {
  job: string;
  name: string;
  application_id: string | null;
  phase: string;
  on: string;
  generation: number;
  outcome: Outcome | null;
  roles: Record<string, { tasks: Task[] }>;
  endpoints: Record<string, string>;
  timeline: Step[];
  started: string | null;
  ended: string | null;
  waits_for: string | null;
  log_trouble: string | null;
}

export interface Changes {
  version: number;
  events?: JobEvent[];
  next?: number;
  /** Whether these are all events so far. */
  whole?: boolean;
  status: Status;
}

/** Something that happened: a fact of the job's log. */
export interface JobEvent {
  n: number;
  /** Milliseconds since 1970. */
  ms: number;
  type: string;
  text: string;
  task?: string;
  attempt?: number;
  host?: string | null;
  container?: string | null;
  generation?: number;
  placed?: number;
  part?: string | null;
  exit_code?: number | null;
  signal?: number | null;
  class?: string | null;
  name?: string;
}

export interface RolePlan {
  name: string;
  tasks: number;
  tasks_min: number;
  containers: number;
  tasks_per_container: number;
  memory_bytes: number;
  vcores: number;
  gpus: number;
  node_label: string | null;
  membership: string;
  success: string;
  failure: string;
  restart: Record<string, number>;
  ports: string[];
}

/** What was asked for: schema muster.job/1. */
export interface Asked {
  job: string;
  name: string;
  user: string | null;
  submitted: string;
  on: string;
  queue: string;
  command: string | null;
  working_folder: string | null;
  framework: string;
  spec: unknown;
  plan: { framework: string; barrier: string; chief: string | null; roles: RolePlan[] };
}

/** A line of output: where it begins, when it was written (0: nobody knows), what it says. */
export type RawLine = [number, number, string];

/** A part of one stream, of schema muster.output/1. */
export interface StreamPart {
  task: string;
  attempt: number;
  stream: string;
  runs: boolean;
  begin: number;
  end: number;
  from: number;
  next: number;
  open: boolean;
  lines: RawLine[];
}

/** How a process ended, for people; "" while it has not. */
export function exit_text(end: { exit_code: number | null; signal?: number | null }): string {
  if (end.signal != null) {
    return `signal ${end.signal}`;
  }
  return end.exit_code == null ? "" : `exit ${end.exit_code}`;
}

export function duration_text(ms: number): string {
  if (ms < 1000) {
    return `${Math.max(0, Math.round(ms))} ms`;
  }
  if (ms < 60_000) {
    return `${(ms / 1000).toFixed(1)} s`;
  }
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.floor((ms % 60_000) / 1000);
  return minutes < 60
    ? `${minutes} min ${seconds} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function bytes_text(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit + 1 < units.length) {
    bytes /= 1024;
    ++unit;
  }
  return `${unit === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit] ?? ""}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

/** "14:03:09.250", in the viewer's time zone. */
export function clock_text(ms: number, with_ms = true): string {
  const at = new Date(ms);
  const text = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return with_ms ? `${text}.${String(at.getMilliseconds()).padStart(3, "0")}` : text;
}

/** "2026-11-23 14:03:09", in the viewer's time zone. */
export function moment_text(ms: number): string {
  const at = new Date(ms);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ` +
    clock_text(ms, false);
}
