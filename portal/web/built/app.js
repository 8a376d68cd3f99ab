// The job's page: opens a session, then shows what the job's master tells, as it changes.
import { by_id, set_text, show_text } from "./dom.js";
import { LogPanel } from "./log.js";
import { Trouble, open_session, pause, read } from "./session.js";
import { JobPanel } from "./view.js";
/** Answers wait for news; between two of them the page draws. */
const breath_ms = 100;
const again_after_ms = 2000;
function say(trouble, last) {
    const text = trouble instanceof Error ? trouble.message : String(trouble);
    const next = trouble instanceof Trouble && trouble.kind !== "gone"
        ? "; muster status prints it"
        : last === null ? "" : `; muster status ${last.job} shows how it stands`;
    show_text(by_id("notice"), `${text.charAt(0).toUpperCase()}${text.slice(1)}${next}.`);
    if (last === null) {
        set_text(by_id("phase"), "no job");
    }
}
async function run() {
    const base = await open_session();
    const log = new LogPanel();
    const panel = new JobPanel(base, (task, attempts, stream) => log.open(base, task, attempts, stream));
    const viewer = Math.random().toString(36).slice(2);
    let version = 0;
    let last = null;
    while (last?.phase !== "ended") {
        try {
            const news = `api/changes?after=${version}&viewer=${viewer}`;
            const changes = await read(base + news);
            version = changes.version;
            last = changes.status;
            panel.show(last);
            await pause(breath_ms);
        }
        catch (trouble) {
            say(trouble, last);
            if (!(trouble instanceof Trouble) || trouble.kind !== "gone") {
                return;
            }
            await pause(again_after_ms);
        }
    }
}
run().catch((trouble) => say(trouble, null));
