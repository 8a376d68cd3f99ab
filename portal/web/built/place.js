// Where this page stands: by itself, or below a list of jobs.
import { make } from "./dom.js";
/** Whether the list of a portal lies above this page: "/jobs/ID/". */
export function is_of_portal() {
    return /\/jobs\/[^/]+\/$/.test(location.pathname);
}
/** Whether that portal is a team's, whose jobs are named with their owners: it has pages of hosts. */
function is_of_team() {
    return /\/jobs\/[^/]+(:|%3A)[^/]+\/$/i.test(location.pathname);
}
/** The name of a host; a link to its page where there is one. */
export function make_host(name) {
    return name !== "" && is_of_team()
        ? make("a", name, { href: `../../#/host/${encodeURIComponent(name)}` })
        : document.createTextNode(name);
}
