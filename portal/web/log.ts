import { by_id, make, set_text, show_text } from "./dom.js";
import { pause, read } from "./session.js";
import { LogPiece, Status } from "./status.js";

/** Most that stays on the page: the file and `muster logs` have the whole. */
const shown_max = 1_000_000;
/** Logs that stay readable once nobody answers any more; the one opened longest ago goes first. */
const kept_max = 16;
/** One after the other, once the job has ended: its master answers no more. */
const failures_max = 3;
const again_after_ms = 2000;

/** The part of the page that follows the output of one task. */
export class LogPanel {
  private base = "";
  private task = "";
  private job = "";
  private ended = false;
  private address = "";
  private following: AbortController | null = null;
  /** What was shown of logs, by address. */
  private readonly kept = new Map<string, string>();

  constructor() {
    by_id("log-close").addEventListener("click", () => this.close());
    for (const id of ["log-attempt", "log-stream"]) {
      by_id(id).addEventListener("change", () => this.follow());
    }
  }

  /** Takes in how the job stands. */
  update(status: Status): void {
    this.job = status.job;
    this.ended = status.phase === "ended";
  }

  open(base: string, task: string, attempts: number, stream: string): void {
    this.keep();
    this.base = base;
    this.task = task;
    const select = by_id<HTMLSelectElement>("log-attempt");
    select.replaceChildren();
    for (let number = attempts; number > 0; --number) {
      select.append(make("option", String(number)));
    }
    by_id<HTMLSelectElement>("log-stream").value = stream;
    set_text(by_id("log-title"), `Output of ${task}`);
    by_id("log").hidden = false;
    this.follow();
    by_id("log").scrollIntoView({ block: "nearest" });
    by_id("log-text").focus();
  }

  private close(): void {
    this.keep();
    by_id("log").hidden = true;
  }

  /** Ends following, and keeps what was shown. */
  private keep(): void {
    this.following?.abort();
    this.following = null;
    if (this.address === "") {
      return;
    }
    this.kept.delete(this.address);
    this.kept.set(this.address, by_id("log-text").textContent ?? "");
    this.address = "";
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= kept_max) {
        break;
      }
      this.kept.delete(oldest);
    }
  }

  private follow(): void {
    this.keep();
    this.following = new AbortController();
    const attempt = by_id<HTMLSelectElement>("log-attempt").value;
    const stream = by_id<HTMLSelectElement>("log-stream").value;
    const path = this.task.replace(":", "/");
    const query = `attempt=${attempt}&stream=${stream}`;
    by_id("log-plain").setAttribute("href", `${this.base}logs/${path}?${query}`);
    this.address = `${this.base}api/log/${path}?${query}`;
    by_id("log-text").textContent = this.kept.get(this.address) ?? "";
    show_text(by_id("log-note"), null);
    void this.run(this.address, this.following.signal);
  }

  private async run(address: string, signal: AbortSignal): Promise<void> {
    let after = "";
    let failures = 0;
    let whole = false;
    while (!signal.aborted && !(this.ended && failures >= failures_max)) {
      try {
        const piece = await read<LogPiece>(address + after, signal);
        failures = 0;
        show_text(by_id("log-note"), null);
        if (after === "" && piece.text !== "") {
          by_id("log-text").textContent = "";
        }
        this.show(piece.text);
        after = `&after=${piece.next}`;
        if (!piece.runs && piece.text === "") {
          return;
        }
        whole = !piece.runs;
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        ++failures;
        if (!whole) {
          show_text(by_id("log-note"), "No more of this output can be fetched now; " +
            `muster logs ${this.job} ${this.task} prints it.`);
        }
        await pause(again_after_ms);
      }
    }
  }

  private show(text: string): void {
    const pre = by_id("log-text");
    const at_end = pre.scrollTop + pre.clientHeight >= pre.scrollHeight - 8;
    if (text !== "") {
      pre.append(text);
      if ((pre.textContent ?? "").length > shown_max) {
        pre.textContent = (pre.textContent ?? "").slice(-shown_max / 2);
      }
    }
    if (at_end) {
      pre.scrollTop = pre.scrollHeight;
    }
  }
}
