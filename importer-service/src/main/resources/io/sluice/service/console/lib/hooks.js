// What views share: loading, paging, following a stream, asking again from time to time.

import { useCallback, useEffect, useRef, useState } from './ui.js';
import { get, importPath } from './api.js';
import { follow } from './sse.js';
import { isFinal } from './states.js';

/** Calls a function every so many milliseconds while the page can be seen; null stops it. */
export function useInterval(callback, millis) {
  const latest = useRef(callback);
  latest.current = callback;
  useEffect(() => {
    if (millis === null) return undefined;
    const timer = setInterval(() => { if (!document.hidden) latest.current(); }, millis);
    return () => clearInterval(timer);
  }, [millis]);
}

/**
 * What a function with an AbortSignal resolves with; again when deps change or reload is called. The value of the last
 * time stays until the next is there, so nothing jumps; `fresh` says that it belongs to the deps of now.
 */
export function useLoaded(load, deps) {
  const [state, setState] = useState({ data: undefined, error: undefined, key: undefined });
  const latest = useRef(load);
  latest.current = load;
  const running = useRef(null);
  const key = JSON.stringify(deps);
  const reload = useCallback(async () => {
    running.current?.abort();
    const mine = running.current = new AbortController();
    try {
      const data = await latest.current(mine.signal);
      if (!mine.signal.aborted) setState({ data, error: undefined, key });
    } catch (error) {
      if (!mine.signal.aborted) setState(old => ({ data: old.key === key ? old.data : undefined, error, key }));
    }
  }, [key]);
  useEffect(() => {
    reload();
    return () => running.current?.abort();
  }, [reload]);
  const patch = useCallback(change => setState(old => (old.data === undefined ? old : { ...old, data: change(old.data) })), []);
  return { data: state.data, error: state.error, fresh: state.key === key, reload, patch };
}

/** Pages of a list below an import, walked by tokens. The trail of tokens makes the way back. */
export function usePages(id, below, pageSize) {
  const [trail, setTrail] = useState(['']);
  const token = trail[trail.length - 1];
  const loaded = useLoaded(signal => get(importPath(id, below), { pageSize, pageToken: token }, signal), [id, below, pageSize, token]);
  const next = loaded.fresh ? loaded.data?.nextPageToken : undefined;
  return {
    ...loaded,
    first: (trail.length - 1) * pageSize + 1,
    onOlder: next ? () => setTrail([...trail, next]) : null,
    onNewer: trail.length > 1 ? () => setTrail(trail.slice(0, -1)) : null,
  };
}

/** One import as it changes: { job, error, connection, put }, the stream closed once the import is at its end. */
export function useImport(id) {
  const [state, setState] = useState({ id });
  const put = useCallback(job => setState(old =>
    // What was under way when something newer arrived is not news.
    (old.id === id && old.job && old.job.version > job.version ? old : { ...old, id, job, error: undefined })), [id]);
  const final = state.id === id && state.job ? isFinal(state.job.state) : undefined;
  useEffect(() => {
    const stop = new AbortController();
    get(importPath(id), {}, stop.signal).then(put, error => { if (!stop.signal.aborted) setState({ id, error }); });
    return () => stop.abort();
  }, [id]);
  useEffect(() => {
    if (final !== false) return undefined;
    return follow(importPath(id, '/events'), {
      onEvent: (name, job) => { if (name === 'import') put(job); },
      onState: connection => setState(old => ({ ...old, connection })),
    });
  }, [id, final]);
  return { ...(state.id === id ? state : {}), connection: final ? 'ended' : state.connection, put };
}
