/** What went wrong between the page and the job's master. */
export class Trouble extends Error {
    constructor(
    /** "gone": the master does not answer now, or something else answered in its place. */
    kind, message) {
        super(message);
        this.kind = kind;
    }
}
const kept = "muster-base";
/** Of the owner's link; in memory only, so that it goes with the page. */
let owner_token = null;
/** Whether this page was opened by the link that can stop the job. */
export function may_stop() {
    return owner_token !== null;
}
/** Stops the job; throws what went wrong. */
export async function stop_job(base) {
    const response = await request(`${base}api/stop`, { method: "POST", body: owner_token ?? "" });
    if (!response.ok) {
        throw new Trouble("forbidden", `the job was not stopped: ${(await response.text()).trim()}`);
    }
}
/**
 * Opens the session: exchanges the token of the link's fragment (which was never sent) for a
 * cookie. Behind a proxy that knows its users there is neither. Returns what stands before the
 * page's own addresses.
 */
export async function open_session() {
    const token = new URLSearchParams(location.hash.slice(1)).get("t");
    owner_token = new URLSearchParams(location.hash.slice(1)).get("o") ?? owner_token;
    if (token === null) {
        const base = sessionStorage.getItem(kept) ?? "";
        // A document below the session's own path names everything from there.
        return location.pathname.includes(`/${base}`) ? "" : base;
    }
    const response = await request("api/session", { method: "POST", body: token });
    if (response.status === 401) {
        throw new Trouble("unknown", "this link is not valid, or no longer valid");
    }
    const { base } = await document_of(response);
    sessionStorage.setItem(kept, base);
    // The token is neither to be seen over a shoulder nor to be kept in the history.
    history.replaceState(null, "", location.pathname + location.search);
    return base;
}
/**
 * Whether the server knows who looks: by a session, a proxy, or a ticket, for which it then keeps a
 * session, so that the ticket is judged once.
 */
export async function keep_session() {
    const response = await request("api/session", { method: "POST" });
    if (response.status !== 401 && !response.ok) {
        throw new Trouble("gone", `the response was ${response.status}`);
    }
    const asks = response.headers.get("www-authenticate") ?? "";
    return { known: response.ok, takes_tickets: asks.startsWith("Negotiate") };
}
/** Reads a document of the job. */
export async function read(address, signal) {
    const response = await request(address, { signal: signal ?? null });
    if (response.status === 401) {
        throw new Trouble("unknown", "open this page with the job's link");
    }
    if (response.status === 403) {
        throw new Trouble("forbidden", "you may not see this job");
    }
    return document_of(response);
}
export function pause(ms) {
    return new Promise((done) => setTimeout(done, ms));
}
async function request(address, init) {
    try {
        return await fetch(address, init);
    }
    catch (error) {
        if (init.signal?.aborted) {
            throw error;
        }
        throw new Trouble("gone", "the connection failed");
    }
}
/**
 * A proxy whose job has ended answers with pages of its own, under any status and perhaps after a
 * redirect: only JSON is the master's.
 */
async function document_of(response) {
    if (!response.ok) {
        throw new Trouble("gone", `the response was ${response.status}`);
    }
    if (!(response.headers.get("content-type") ?? "").startsWith("application/json")) {
        throw new Trouble("gone", "something else answered");
    }
    try {
        return (await response.json());
    }
    catch {
        throw new Trouble("gone", "the response ended early");
    }
}
