// The documents that the page reads: schema muster.status/1, muster.changes/1 and muster.log/1.

export interface Task {
  index: number;
  state: string;
  attempts: number;
  host: string | null;
  exit_code: number | null;
  signal?: number | null;
  attempt_state?: string;
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
  status: Status;
}

export interface LogPiece {
  attempt: number;
  from: number;
  next: number;
  runs: boolean;
  text: string;
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
