/** What went wrong between the page and the job's master. */
export class Trouble extends Error {
  constructor(readonly kind: "unknown" | "forbidden" | "gone", message: string) {
    super(message);
  }
}

const kept = "muster-base";

/**
 * Opens the session: exchanges the token of the link's fragment (which was never sent) for a
 * cookie. Behind a proxy that knows its users there is neither. Returns what stands before the
 * page's own addresses.
 */
export async function open_session(): Promise<string> {
  const token = new URLSearchParams(location.hash.slice(1)).get("t");
  if (token === null) {
    const base = sessionStorage.getItem(kept) ?? "";
    // A document below the session's own path names everything from there.
    return location.pathname.includes(`/${base}`) ? "" : base;
  }
  const answer = await fetch("api/session", { method: "POST", body: token });
  if (!answer.ok) {
    throw new Trouble("unknown", "this link is not, or no longer, valid");
  }
  const { base } = (await answer.json()) as { base: string };
  sessionStorage.setItem(kept, base);
  // The token is neither to be seen over a shoulder nor to be kept in the history.
  history.replaceState(null, "", location.pathname + location.search);
  return base;
}

/** Reads a document of the job. */
export async function read<T>(address: string, signal?: AbortSignal): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(address, { signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) {
      throw error;
    }
    throw new Trouble("gone", "the job's master does not answer");
  }
  if (answer.status === 401) {
    throw new Trouble("unknown", "this page is opened by the job's link");
  }
  if (answer.status === 403) {
    throw new Trouble("forbidden", "you may not see this job");
  }
  if (!answer.ok) {
    throw new Trouble("gone", `the answer was ${answer.status}`);
  }
  return (await answer.json()) as T;
}

export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
