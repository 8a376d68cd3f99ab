// The job's page: opens a session, then shows what the job's master tells, as it changes.

import { AskedPanel } from "./asked.js";
import { Lives } from "./attempts.js";
import { ChartPanel } from "./charts.js";
import { by_id, set_text, show_text } from "./dom.js";
import { EventPanel } from "./events.js";
import { listen_to_keys } from "./keys.js";
import { LanePanel } from "./lanes.js";
import { OutputPanel } from "./output.js";
import { Trouble, open_session, pause, read } from "./session.js";
import { Changes, JobEvent, Status } from "./status.js";
import { StopPanel } from "./stop.js";
import { TaskPanel } from "./tasks.js";
import { JobPanel } from "./view.js";

/** Responses wait for news; between two of them the page draws. */
const breath_ms = 100;
/** A new master may take over; one that has not come soon is looked for less often. */
const again_after_ms = 2000;
const again_after_max_ms = 15_000;
/**
 * The master of a job that has ended is looked for after this time, most have left by then; and,
 * with pauses that grow, within seven minutes: one may still be writing to a storage that is away.
 */
const left_after_ms = 4000;
const left_looks = 10;

function where(job: string): string {
  return `muster show ${job} says how it went; muster logs ${job} prints its output.`;
}

/** Says that the master cannot be reached, and where to ask instead. */
function say_unreachable(last: Status | null): void {
  if (last === null) {
    set_text(by_id("phase"), "unreachable");
    show_text(by_id("notice"), "The job cannot be reached: it has ended, or a new master is " +
      "taking over. muster ps lists running jobs, muster history those that have ended.");
    return;
  }
  const because = last.phase === "stopping"
    ? "The job was ending when its master left."
    : "The job cannot be reached: it has ended, or a new master is taking over.";
  show_text(by_id("notice"), `${because} This page keeps what it shows; ${where(last.job)}`);
}

function say(trouble: unknown): void {
  const text = trouble instanceof Error ? trouble.message : String(trouble);
  const next = trouble instanceof Trouble && trouble.kind === "unknown"
    ? "; muster status prints the link" : "";
  show_text(by_id("notice"), `${text.charAt(0).toUpperCase()}${text.slice(1)}${next}.`);
}

/** All that the page shows. */
class Page {
  private readonly lives = new Lives();
  private readonly job: JobPanel;
  private readonly tasks: TaskPanel;
  private readonly output: OutputPanel;
  private readonly charts: ChartPanel;
  private readonly lanes: LanePanel;
  private readonly events: EventPanel;
  private readonly asked: AskedPanel;
  private readonly stop: StopPanel;

  constructor(base: string) {
    this.job = new JobPanel(base);
    this.stop = new StopPanel(base);
    this.tasks = new TaskPanel(base, (wanted, stream) => this.output.open(wanted, stream));
    this.output = new OutputPanel(base, () => this.tasks.all());
    const open = (task: string, attempts: number): void =>
      this.output.open([{ task, attempts }], "both");
    this.charts = new ChartPanel(base);
    this.lanes = new LanePanel(this.lives, open);
    this.events = new EventPanel(open);
    this.asked = new AskedPanel(base);
    listen_to_keys(this.output, () => this.output.open(this.tasks.all(), "both"));
  }

  show(status: Status, events: JobEvent[]): void {
    for (const event of events) {
      this.lives.take(event);
    }
    this.job.show(status);
    this.stop.show(status);
    this.output.update(status);
    this.tasks.show(status);
    this.asked.show(status);
    this.charts.show(status);
    this.lanes.show(status);
    this.events.take(events);
    void this.asked.load().catch(() => undefined);
  }
}

/** Follows the job to its end; returns its last status. */
async function follow(base: string, page: Page): Promise<Status> {
  const viewer = Math.random().toString(36).slice(2);
  let version = 0;
  let next = 0;
  let last: Status | null = null;
  let again_ms = again_after_ms;
  for (;;) {
    try {
      const news = `api/changes?after=${version}&events=${next}&viewer=${viewer}`;
      const changes: Changes = await read<Changes>(base + news);
      const began = performance.now();
      const events = changes.events ?? [];
      version = changes.version;
      next = changes.next ?? next;
      last = changes.status;
      again_ms = again_after_ms;
      page.show(last, events);
      if (last.phase === "ended" && changes.whole !== false) {
        return last;
      }
      // A job of thousands of tasks leaves time for what people do; one that ends has a master
      // that leaves soon.
      await pause(changes.whole === false || last.phase === "stopping" ? 0
        : Math.max(breath_ms, 2 * (performance.now() - began)));
    } catch (trouble) {
      if (!(trouble instanceof Trouble) || trouble.kind !== "gone") {
        throw trouble;
      }
      say_unreachable(last);
      await pause(again_ms);
      again_ms = Math.min(again_ms * 1.5, again_after_max_ms);
    }
  }
}

async function is_answered(base: string, job: string): Promise<boolean> {
  try {
    return (await read<Status>(`${base}api/status`)).job === job;
  } catch {
    return false;  // Whatever answers now, it is not the job's master.
  }
}

/** A portal goes on answering for a job that has ended; the job's own master leaves. */
async function say_when_left(base: string, last: Status): Promise<void> {
  for (let look = 0; look < left_looks; ++look) {
    await pause(left_after_ms * 1.5 ** look);
    if (!await is_answered(base, last.job)) {
      show_text(by_id("notice"),
        `The job has ended. This page keeps what it shows; ${where(last.job)}`);
      return;
    }
  }
}

async function open(): Promise<string> {
  for (;;) {
    try {
      return await open_session();
    } catch (trouble) {
      if (!(trouble instanceof Trouble) || trouble.kind !== "gone") {
        throw trouble;
      }
      say_unreachable(null);
      await pause(again_after_ms);
    }
  }
}

async function run(): Promise<void> {
  const base = await open();
  await say_when_left(base, await follow(base, new Page(base)));
}

run().catch((trouble) => {
  say(trouble);
  if (by_id("job").textContent === "Muster") {
    set_text(by_id("phase"), "no job");
  }
});
