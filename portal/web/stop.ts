// Stopping the job: only the owner's link can, and it asks twice.

import { by_id, set_text, show_text } from "./dom.js";
import { may_stop, stop_job } from "./session.js";
import { Status } from "./status.js";

export class StopPanel {
  private readonly dialog = by_id<HTMLDialogElement>("stop");
  private sure = false;

  constructor(private readonly base: string) {
    by_id("stop-open").addEventListener("click", () => this.open());
    by_id("stop-cancel").addEventListener("click", () => this.dialog.close());
    by_id("stop-copy").addEventListener("click", () => void this.copy());
    by_id("stop-now").addEventListener("click", () => void this.press());
  }

  show(status: Status): void {
    const over = status.phase === "ended" || status.phase === "stopping";
    by_id("stop-open").hidden = over;
    set_text(by_id("stop-command"), `muster stop ${status.job}`);
    const tasks = Object.values(status.roles).flatMap((role) => role.tasks)
      .filter((task) => task.state === "active").length;
    set_text(by_id("stop-words"), `${tasks} running ${tasks === 1 ? "task" : "tasks"} of ${
      status.job} will end. This cannot be undone.`);
    if (over) {
      this.dialog.close();
    }
  }

  private open(): void {
    this.sure = false;
    show_text(by_id("stop-trouble"), null);
    by_id("stop-viewer").hidden = may_stop();
    by_id("stop-owner").hidden = !may_stop();
    by_id("stop-now").hidden = !may_stop();
    by_id("stop-copy").hidden = may_stop();
    set_text(by_id("stop-now"), "Stop the job");
    set_text(by_id("stop-copy"), "Copy");
    this.dialog.showModal();
    by_id("stop-cancel").focus();
  }

  private async press(): Promise<void> {
    if (!this.sure) {
      this.sure = true;
      set_text(by_id("stop-now"), "Really stop it");
      return;
    }
    try {
      await stop_job(this.base);
      this.dialog.close();
    } catch (trouble) {
      show_text(by_id("stop-trouble"), trouble instanceof Error ? trouble.message : String(trouble));
    }
  }

  private async copy(): Promise<void> {
    const text = by_id("stop-command");
    try {
      await navigator.clipboard.writeText(text.textContent ?? "");
      set_text(by_id("stop-copy"), "Copied");
    } catch {
      // Without HTTPS there is no clipboard: the text is selected instead.
      getSelection()?.selectAllChildren(text);
    }
  }
}
