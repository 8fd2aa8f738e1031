// Server-sent events over fetch, because EventSource cannot send the header with the token.
//
// A stream that breaks is opened again after 0.5 s, then twice as long each time up to 15 s, each time a random part
// shorter so that many browsers do not come back at once. A tab that nobody looks at gives its connection back after a
// while, as browsers have six per host for all their tabs; it comes back when it is looked at.

import { send } from './api.js';

const FIRST_WAIT_MILLIS = 500;
const MAX_WAIT_MILLIS = 15_000;
/** A stream without even a comment for so long is taken for broken: proxies drop connections without a word. */
const SILENCE_MILLIS = 60_000;
/** So long a tab that cannot be seen keeps its stream. */
const HIDDEN_MILLIS = 30_000;
/** An event is an import with its request: 10,000 inputs of 4,096 characters at most. What is larger is no event. */
const MAX_EVENT_CHARS = 48 << 20;

/**
 * Follows a stream until the function that is returned is called, or the stream ends for good.
 * onEvent gets (name, value); onState 'connecting', 'live', 'waiting', 'ended', or 'refused' with the error.
 */
export function follow(path, { onEvent, onState }) {
  const stop = new AbortController();
  run(path, { onEvent, onState }, stop.signal);
  return () => stop.abort();
}

async function run(path, { onEvent, onState }, stopped) {
  let failures = 0;
  while (!stopped.aborted) {
    onState(failures === 0 ? 'connecting' : 'waiting');
    await seen(stopped);
    if (stopped.aborted) return;
    let leastWait = 0;
    try {
      if (await once(path, stopped, onEvent, () => { failures = 0; onState('live'); })) {
        onState('ended');
        return;
      }
    } catch (e) {
      if (stopped.aborted) return;
      if (e.status === 403 || e.status === 404) {
        onState('refused', e);
        return;
      }
      leastWait = (e.retryAfterSeconds || 0) * 1000;
    }
    if (stopped.aborted) return;
    onState('waiting');
    const most = Math.min(MAX_WAIT_MILLIS, FIRST_WAIT_MILLIS * 2 ** failures++);
    await pause(Math.max(leastWait, most * (0.5 + Math.random() / 2)), stopped);
  }
}

/** One connection, until it breaks. Whether the stream said that it is at its end. */
async function once(path, stopped, onEvent, onAlive) {
  const connection = new AbortController();
  const abort = () => connection.abort();
  stopped.addEventListener('abort', abort);
  let watchdog = setTimeout(abort, SILENCE_MILLIS);
  let unseen = 0;
  const look = () => {
    clearTimeout(unseen);
    if (document.hidden) unseen = setTimeout(abort, HIDDEN_MILLIS);
  };
  document.addEventListener('visibilitychange', look);
  try {
    const response = await send(path, { headers: { Accept: 'text/event-stream' }, signal: connection.signal });
    onAlive();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new Parser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return false;
      clearTimeout(watchdog);
      watchdog = setTimeout(abort, SILENCE_MILLIS);
      for (const event of parser.feed(value)) {
        if (stopped.aborted) return false;
        if (event.name === 'end') return true;
        onEvent(event.name, JSON.parse(event.data));
      }
    }
  } finally {
    clearTimeout(watchdog);
    clearTimeout(unseen);
    document.removeEventListener('visibilitychange', look);
    stopped.removeEventListener('abort', abort);
    connection.abort();
  }
}

/** Text in pieces of any size to events: fields until an empty line, as the HTML standard has it. */
export class Parser {
  #rest = '';
  #name = '';
  #data = [];

  feed(piece) {
    const events = [];
    this.#rest += piece;
    if (this.#rest.length > MAX_EVENT_CHARS) throw new Error('an event is too long');
    // A CR at the very end may be the first half of CR LF: it waits for what follows.
    const lines = this.#rest.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    for (const line of lines) {
      if (line === '') {
        if (this.#data.length || this.#name === 'end') events.push({ name: this.#name || 'message', data: this.#data.join('\n') });
        this.#name = '';
        this.#data = [];
        continue;
      }
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'event') this.#name = value;
      else if (field === 'data') this.#data.push(value);
    }
    return events;
  }
}

/** Waits until the tab can be seen. */
const seen = stopped => new Promise(resolve => {
  const look = () => {
    if (document.hidden && !stopped.aborted) return;
    document.removeEventListener('visibilitychange', look);
    stopped.removeEventListener('abort', look);
    resolve();
  };
  document.addEventListener('visibilitychange', look);
  stopped.addEventListener('abort', look);
  look();
});

const pause = (millis, stopped) => new Promise(resolve => {
  const timer = setTimeout(done, millis);
  function done() {
    clearTimeout(timer);
    stopped.removeEventListener('abort', done);
    resolve();
  }
  stopped.addEventListener('abort', done);
});
