// What tasks use: the cells of the table of tasks. Of a task that runs it is what was measured last,
// of a job that has ended the mean, and of memory the most.
import { pause, read } from "./session.js";
import { value_text } from "./series.js";
const names = {
    "container.cpu.usage": "cpu", "container.memory.usage": "memory",
    "container.memory.limit": "limit", "hw.gpu.utilization": "gpu", "user.step.rate": "rate",
};
/** The columns of the table: field, label. */
export const usage_fields = [
    ["cpu", "CPU"], ["memory", "Memory"], ["gpu", "GPU"], ["rate", "Steps/s"]
];
const poll_ms = 2000;
/** Whoever was not measured for so long uses nothing that anybody knows of. */
const fresh_s = 6;
/** The answer for more tasks would be long. */
const tasks_max = 120;
function mean(values) {
    return values.reduce((sum, value) => sum + value, 0) / values.length;
}
/** What tasks use, as long as somebody looks at them. */
export class UsageStore {
    /** `place`: asked for while this can be seen. `changed`: there are new values. */
    constructor(base, place, changed) {
        this.base = base;
        this.changed = changed;
        this.held = new Map();
        this.status = null;
        this.wanted = [];
        this.visible = true;
        /** Whether what is held is of the whole job. */
        this.summed = false;
        /** How far the clock of the master is ahead of this one. */
        this.ahead_s = 0;
        this.wake = () => undefined;
        new IntersectionObserver((entries) => {
            this.visible = entries.some((entry) => entry.isIntersecting);
            this.wake();
        }).observe(place);
        document.addEventListener("visibilitychange", () => this.wake());
        void this.run();
    }
    /** `tasks`: those whose rows are shown. */
    show(status, tasks) {
        const wanted = tasks.slice(0, tasks_max);
        const news = wanted.join() !== this.wanted.join() || status.phase !== this.status?.phase;
        this.status = status;
        this.wanted = wanted;
        if (news) {
            this.wake();
        }
    }
    /** The texts of a task's cells, by their fields. */
    texts(task, active) {
        const none = {};
        const { cpu, memory, limit, gpu, rate } = active || this.summed ? this.held.get(task) ?? none : none;
        const of = (value, unit, how) => value === undefined ? "" : `${this.summed ? `${how} ` : ""}${value_text(value, unit)}`;
        const most = limit === undefined || limit <= 0 || memory === undefined ? ""
            : ` of ${value_text(limit, "By")}`;
        return { cpu: of(cpu, "", "mean"), memory: of(memory, "By", "most") + most,
            gpu: of(gpu, "1", "mean"), rate: of(rate, "", "mean") };
    }
    async run() {
        for (;;) {
            const woken = new Promise((done) => { this.wake = done; });
            const phase = this.status?.phase;
            // The master of a job that ends leaves soon: what was used is read before, seen or not.
            const over = phase === "stopping" || phase === "ended";
            const wanted = this.wanted.length > 0 && (over || (this.visible && !document.hidden));
            if (wanted) {
                try {
                    await this.poll(over);
                }
                catch {
                    // Nothing old is shown as new. That the master is away is told elsewhere.
                    if (!this.summed) {
                        this.held.clear();
                    }
                }
                this.changed();
            }
            await (phase === "ended" || !wanted ? woken : Promise.race([woken, pause(poll_ms)]));
        }
    }
    async poll(over) {
        const now_s = Date.now() / 1000 + this.ahead_s;
        const [from, step] = over ? [0, this.coarse()] : [Math.max(0, Math.floor(now_s - fresh_s)), 1];
        const query = [`from=${from}`, `step=${step}`,
            ...Object.keys(names).map((name) => `name=${encodeURIComponent(name)}`),
            ...this.wanted.map((task) => `task=${encodeURIComponent(task)}`)].join("&");
        const answer = await read(`${this.base}api/metrics?${query}`);
        this.ahead_s = answer.now - Date.now() / 1000;
        this.summed = over;
        this.held.clear();
        const attempts = new Map();
        for (const { task, attempt } of answer.series) {
            attempts.set(task, Math.max(attempt, attempts.get(task) ?? 0));
        }
        for (const series of answer.series) {
            if (series.attempt === attempts.get(series.task)) {
                this.take(series);
            }
        }
    }
    /** How far apart the points of the whole job are that are read: a hundred of each at most, or
     * minutes. */
    coarse() {
        const until = this.status?.ended == null ? Date.now() : Date.parse(this.status.ended);
        const ran_s = (until - Date.parse(this.status?.started ?? "")) / 1000;
        return ran_s < 100 ? 1 : ran_s < 1000 ? 10 : 60;
    }
    take(series) {
        const field = names[series.name];
        const values = series.points.map(([, value]) => value)
            .filter((value) => value !== null);
        const last = values[values.length - 1];
        if (field === undefined || last === undefined) {
            return;
        }
        const usage = this.held.get(series.task) ?? {};
        usage[field] = !this.summed || field === "limit" ? last
            : field === "memory" ? values.reduce((most, value) => Math.max(most, value)) : mean(values);
        this.held.set(series.task, usage);
    }
}
