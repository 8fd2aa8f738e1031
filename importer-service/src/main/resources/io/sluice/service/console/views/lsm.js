// The timeline of the table's LSM tree: a slider over its events, files over the key space, figures over all events. While
// the import runs the history is asked for again; the slider stays at its event, unless it is at the end and follows.

import { html, useCallback, useEffect, useMemo, useRef, useState } from '../lib/ui.js';
import { get, importPath } from '../lib/api.js';
import { useInterval, useLoaded } from '../lib/hooks.js';
import { keyText, useTable } from '../lib/keys.js';
import { isAtWork } from '../lib/states.js';
import { number } from '../lib/format.js';
import { Tree } from '../lsm/tree.js';
import { Problem, Time } from '../parts/values.js';
import { LsmPicture, LsmCurves } from './lsm-picture.js';
import { LsmFiles } from './lsm-files.js';

/** Histories may have megabytes: nine tenths of the time at least nothing is asked for. */
const AGAIN_MILLIS = 2000, WAIT_PER_LOAD = 9;
/** The whole history in twenty seconds, but never fewer than three events a second. */
const PLAY_MILLIS = 20_000, LEAST_PER_SECOND = 3;
const TURNS = [['sublevels', 'by sublevels'], ['levels', 'by levels'], ['age', 'by age']];

export function LsmTab({ job }) {
  return html`<${LsmHistory} path=${importPath(job.jobId, '/lsm')} working=${isAtWork(job.state)} />`;
}

/** The history at an address of the API; asked for again while something works on it, and once more when that ends. */
export function LsmHistory({ path, working }) {
  const [wait, setWait] = useState(AGAIN_MILLIS);
  const { data, error, reload } = useLoaded(async signal => {
    const begun = performance.now();
    const history = await get(path, {}, signal);
    setWait(Math.max(AGAIN_MILLIS, Math.ceil((performance.now() - begun) / 100) * 100 * WAIT_PER_LOAD));
    return history;
  }, [path]);
  useInterval(reload, working ? wait : null);
  useEffect(() => { if (!working) reload(); }, [working]);
  const table = useTable(data?.families?.[0]?.table, [working]);
  const families = useMemo(() => (data?.families || []).filter(family => family.events.length)
    .map(family => (family.table === table?.def.name ? { ...family, keys: family.keys.map(key => keyText(key, table)) } : family)), [data, table]);
  const [chosen, choose] = useState('');
  if (error && !data) return error.status === 404 ? html`<p class="panel nothing">The tree’s history begins with the first file.</p>` : html`<${Problem} error=${error} onRetry=${reload} />`;
  if (!data) return html`<div class="panel placeholder tall"></div>`;
  if (!families.length) return html`<p class="panel nothing">No file has entered the tree yet.</p>`;
  const family = families.find(each => nameOf(each) === chosen) || families[0];
  return html`<${Timeline} key=${nameOf(family)} family=${family} following=${working}>
    ${families.length > 1 && html`<label>Tree <select onChange=${event => choose(event.target.value)}>${families.map(each => html`<option value=${nameOf(each)} selected=${each === family}>${nameOf(each)}</option>`)}</select></label>`}
  </${Timeline}>
  ${(data.notes || []).map(note => html`<p class="soft small">${note}</p>`)}`;
}

/** Nodes may have a family of one name each; they say which node in the table's name. */
const nameOf = family => [family.node, family.table || family.family].filter(Boolean).join(': ');

function Timeline({ family, following, children }) {
  const tree = useMemo(() => new Tree(family), [family]);
  const [place, setPlace] = useState({ q: null });
  const [view, setView] = useState('sublevels');
  const [playing, setPlaying] = useState(false);
  // The place is the event's number, which stays when the history grows; null is the end.
  tree.go(place.q === null ? tree.last : positionOf(tree, place.q));
  const show = useCallback(target => {
    const at = Math.max(0, Math.min(tree.last, target));
    setPlace({ q: at === tree.last ? null : tree.events[at].q });
  }, [tree]);
  const step = target => { setPlaying(false); show(target); };
  usePlaying(playing, tree, show, () => setPlaying(false));

  const keys = event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === 'SELECT') return;
    const far = event.shiftKey ? 10 : 1;
    const act = {
      ArrowLeft: () => step(tree.at - far), ArrowRight: () => step(tree.at + far), Home: () => step(0), End: () => step(tree.last),
    }[event.key];
    if (act && event.target.type === 'range') { event.preventDefault(); act(); }
  };
  const at = tree.at, event = tree.event;
  const press = () => {
    if (!playing && at === tree.last) show(0);
    setPlaying(!playing);
  };
  return html`
    <div class="controls" onKeyDown=${keys}>
      <div class="buttons">
        <button type="button" class="play" aria-label=${playing ? 'Stop' : 'Play'} onClick=${press}>${playing ? html`<svg aria-hidden="true" viewBox="0 0 16 16" width="12" height="12"><rect x="3" y="2" width="3.5" height="12"/><rect x="9.5" y="2" width="3.5" height="12"/></svg>` : html`<svg aria-hidden="true" viewBox="0 0 16 16" width="12" height="12"><path d="M3 1.5 14 8 3 14.5z"/></svg>`}</button>
        <button type="button" aria-label="One event back" disabled=${at === 0} onClick=${() => step(at - 1)}>‹</button>
        <button type="button" aria-label="One event on" disabled=${at === tree.last} onClick=${() => step(at + 1)}>›</button>
      </div>
      <input type="range" min="0" max=${tree.last} value=${at} aria-label="Event" aria-valuetext=${`event ${at + 1}: ${tree.sentence()}`} onInput=${input => step(+input.target.value)} />
      <button type="button" class="follow" aria-pressed=${place.q === null ? 'true' : 'false'} onClick=${() => step(tree.last)}>${following ? 'Follow' : 'End'}</button>
      ${children}
      <div class="toggle" role="group" aria-label="What up and down mean">${TURNS.map(([name, label]) => html`<button type="button" key=${name} aria-pressed=${view === name ? 'true' : 'false'} onClick=${() => setView(name)}>${label}</button>`)}</div>
    </div>
    <p class="caption"><span class="soft">Event ${number(at + 1)} of ${number(tree.events.length)}</span> <b>${tree.sentence()}</b> ${event.t ? html`<span class="soft"><${Time} at=${new Date(event.t).toISOString()} /></span>` : ''}</p>
    <${LsmCurves} tree=${tree} at=${at} onSeek=${step} />
    <${LsmPicture} tree=${tree} at=${at} view=${view} />
    <${LsmFiles} tree=${tree} at=${at} />
    <p class="soft small">Each bar is an SST over the keys it holds; where bars stand above each other, a read searches all of them. Ends of files are spaced evenly. With the slider in focus, arrows step, with Shift ten; Home and End jump.</p>`;
}

function positionOf(tree, q) {
  let low = 0, high = tree.last;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tree.events[middle].q <= q) low = middle; else high = middle - 1;
  }
  return low;
}

/** Moves on by itself; who wants less motion sees fewer, larger steps. */
function usePlaying(playing, tree, show, onEnd) {
  const latest = useRef({});
  latest.current = { tree, show, onEnd };
  useEffect(() => {
    if (!playing) return undefined;
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const perMilli = Math.max(LEAST_PER_SECOND, tree.events.length * 1000 / PLAY_MILLIS) / 1000;
    const from = tree.at === tree.last ? 0 : tree.at, begun = performance.now();
    let frame = 0, shown = 0;
    const step = now => {
      frame = requestAnimationFrame(step);
      if (calm && now - shown < 1000) return;
      shown = now;
      const { tree: current, show: move, onEnd: end } = latest.current;
      const target = from + Math.floor((now - begun) * perMilli);
      move(target);
      if (target >= current.last) { cancelAnimationFrame(frame); end(); }
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [playing]);
}
