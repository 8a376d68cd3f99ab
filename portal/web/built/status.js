// The documents that the page reads: schema muster.status/1, muster.changes/1 and muster.log/1.
/** How a process ended, for people; "" while it has not. */
export function exit_text(end) {
    if (end.signal != null) {
        return `signal ${end.signal}`;
    }
    return end.exit_code == null ? "" : `exit ${end.exit_code}`;
}
export function duration_text(ms) {
    if (ms < 1000) {
        return `${Math.max(0, Math.round(ms))} ms`;
    }
    if (ms < 60000) {
        return `${(ms / 1000).toFixed(1)} s`;
    }
    const minutes = Math.floor(ms / 60000);
    const seconds = Math.floor((ms % 60000) / 1000);
    return minutes < 60
        ? `${minutes} min ${seconds} s`
        : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
