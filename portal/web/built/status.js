// The documents that the page reads: schemas muster.status/1, muster.changes/1,
// muster.job/1 and muster.output/1.
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
export function bytes_text(bytes) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    while (bytes >= 1024 && unit + 1 < units.length) {
        bytes /= 1024;
        ++unit;
    }
    return `${unit === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit] ?? ""}`;
}
function two(number) {
    return String(number).padStart(2, "0");
}
/** "14:03:09.250", in the viewer's time zone. */
export function clock_text(ms, with_ms = true) {
    const at = new Date(ms);
    const text = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
    return with_ms ? `${text}.${String(at.getMilliseconds()).padStart(3, "0")}` : text;
}
/** "2026-11-23 14:03:09", in the viewer's time zone. */
export function moment_text(ms) {
    const at = new Date(ms);
    return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ` +
        clock_text(ms, false);
}
