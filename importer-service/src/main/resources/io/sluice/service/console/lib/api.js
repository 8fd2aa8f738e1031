// The REST API: one function that sends, and errors that carry the problem the service answered with.
//
// A service with a token answers 401 until it gets it. Then whoever registered with onTokenWanted is asked, once for
// all requests that wait, and they are sent again. The token lives in sessionStorage, so it ends with the tab.

const TOKEN = 'sluice.token';
const root = new URL('../../', import.meta.url);

let askForToken = () => Promise.reject(new Error('no view asks for the token'));
let asked = null;
let skewMillis = 0;

/** What went wrong, in the words of the service where it had some. */
export class ApiError extends Error {
  constructor(status, problem, retryAfterSeconds = 0) {
    super(problem.detail || problem.title || `The service answered ${status}.`);
    this.status = status;
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Registers who asks the user: a function of "was one refused" that resolves with the token. */
export function onTokenWanted(ask) { askForToken = ask; }

/** Forgets the token; the next request that needs one asks again. */
export function signOut() { write(null); }

/** Whether this tab holds a token. */
export const signedIn = () => token() !== null;

/** The time by the service's clock, whatever this computer's says. */
export const serviceMillis = () => Date.now() + skewMillis;

/** Address of an import, or of something below it. */
export const importPath = (id, below = '') => `v1/imports/${encodeURIComponent(id)}${below}`;

/** Address of a table, or of something below it. */
export const tablePath = (name, below = '') => `v1/tables/${encodeURIComponent(name)}${below}`;

/** Sends a request and returns its response, which is a success. Throws ApiError; a network failure has status 0. */
export async function send(path, { method = 'GET', query = {}, headers = {}, body, signal } = {}) {
  const address = new URL(path, root);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') address.searchParams.set(name, value);
  }
  for (;;) {
    const sent = token();
    const all = { Accept: 'application/json', ...headers };
    if (sent !== null) all.Authorization = `Bearer ${sent}`;
    if (body !== undefined) all['Content-Type'] = 'application/json';
    let response;
    try {
      response = await fetch(address, {
        method, headers: all, signal, cache: 'no-store', credentials: 'omit',
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch (e) {
      if (e.name === 'AbortError') throw e;
      throw new ApiError(0, { title: 'No answer', detail: 'The service does not answer. It may be restarting, or the network is down.' });
    }
    const date = Date.parse(response.headers.get('Date') || '');
    // The header counts whole seconds; a smaller difference is no news.
    if (date && Math.abs(date - Date.now()) > 2000) skewMillis = date - Date.now();
    if (response.status === 401) {
      await newToken(sent);
      continue;
    }
    if (!response.ok) throw new ApiError(response.status, await problemOf(response), Number(response.headers.get('Retry-After')) || 0);
    return response;
  }
}

/** The JSON that a path answers with. */
export async function get(path, query, signal) {
  return (await send(path, { query, signal })).json();
}

/** Pauses, resumes or cancels an import if it still has the version that the user saw; answers the import. */
export async function act(job, action) {
  const response = await send(importPath(job.jobId, `:${action}`), { method: 'POST', headers: { 'If-Match': `"${job.version}"` } });
  return response.json();
}

/** Random text for a request that must not happen twice. */
export function freshKey() {
  // randomUUID is there on https and localhost only.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');
}

/** Waits until there is another token than the one that was refused. */
function newToken(refused) {
  if (token() !== refused) return Promise.resolve();
  if (!asked) {
    write(null);
    asked = askForToken(refused !== null).then(write).finally(() => { asked = null; });
  }
  return asked;
}

function token() {
  try { return sessionStorage.getItem(TOKEN); } catch (e) { return memory; }
}

let memory = null;
function write(value) {
  memory = value;
  try {
    if (value === null) sessionStorage.removeItem(TOKEN); else sessionStorage.setItem(TOKEN, value);
  } catch (e) { /* storage may be forbidden; then the token lasts as long as the page */ }
}

async function problemOf(response) {
  try {
    const problem = await response.json();
    return typeof problem === 'object' && problem !== null ? problem : {};
  } catch (e) {
    return { title: response.statusText, detail: `The service answered ${response.status} ${response.statusText} and no explanation.` };
  }
}
