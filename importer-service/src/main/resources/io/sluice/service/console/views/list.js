// The list of imports, newest first: a filter, a page of rows that change as they are watched, and the way to older ones.
//
// Events carry single imports. Those on the page are replaced in place; anything that may change which rows the page has,
// or the counts, makes the page be asked for again, soon but not at once.

import { html, useCallback, useEffect, useRef, useState } from '../lib/ui.js';
import { get } from '../lib/api.js';
import { follow } from '../lib/sse.js';
import { go, href } from '../lib/router.js';
import { useInterval, useLoaded } from '../lib/hooks.js';
import { GROUPS, isAtWork } from '../lib/states.js';
import { number } from '../lib/format.js';
import { Live, Pager, Problem } from '../parts/values.js';
import { BulkBar } from './list-bulk.js';
import { ImportRow } from './list-row.js';

const PAGE_SIZE = 50;
const REDRAW_MILLIS = 250;
const REFETCH_MILLIS = 1500;
/** Events get lost while a stream reconnects; so the page is also asked for now and then. */
const AGAIN_MILLIS = 20_000;
const TYPING_MILLIS = 300;
/** States of imports that are not on the page are remembered for so many of them. */
const MAX_KNOWN = 20_000;

/** Names of columns, and how their heads look. Roles are spelt out: narrow screens show rows as cards, and with another
    display browsers forget that it is a table. */
const COLUMNS = [
  ['Import', '', job => job.jobId], ['Table', '', job => job.table], ['State', '', job => job.state], ['Progress', 'c-progress', job => job.progress.fraction],
  ['Rows', 'n', job => job.progress.rowsImported ?? job.progress.rowsRead], ['Rate', 'n', job => (isAtWork(job.state) ? job.progress.bytesPerSecond : -1)], ['Created', 'n', job => Date.parse(job.createdAt)]];

/** Tokens of the pages on the way to a page, for the way back. Forgotten with the tab; then there is "Newest". */
const trails = new Map();

export function ListView({ query }) {
  const { state, table, label, search, after } = query;
  const filter = { state, table, label, search };
  const page = useLoaded(signal => get('v1/imports', { ...filter, pageSize: PAGE_SIZE, pageToken: after }, signal), [filter, after]);
  const connection = useLiveRows(page);
  useEffect(() => { document.title = 'Imports – Sluice'; }, []);

  const [sort, setSort] = useState(null);
  const [picked, setPicked] = useState(() => new Set());
  const imports = sorted(page.data?.imports, sort);
  const chosen = (imports || []).filter(job => picked.has(job.jobId));
  const pick = (jobs, on) => setPicked(old => new Set([...old].filter(id => !jobs.some(job => job.jobId === id)).concat(on ? jobs.map(job => job.jobId) : [])));
  const counts = page.data?.counts;
  const trail = after ? trails.get(after) : [];
  const next = page.fresh ? page.data?.nextPageToken : undefined;
  const older = next && (() => {
    if (trail) trails.set(next, [...trail, after || '']);
    go(['imports'], { ...filter, after: next });
  });
  const newer = after && (() => go(['imports'], { ...filter, after: trail ? trail[trail.length - 1] : '' }));
  const filtered = state || table || label || search;

  return html`
    <div class="title"><h1 tabindex="-1">Imports</h1><${Live} connection=${connection} /><a class="button primary needs-submit" href=${href(['new'])}>New import</a></div>
    <${Filter} key="filter" filter=${filter} counts=${counts} />
    ${page.error && !(page.data && page.error.status === 0) && html`<${Problem} error=${page.error} onRetry=${page.reload} />`}
    ${chosen.length > 0 && html`<${BulkBar} jobs=${chosen} onClear=${() => setPicked(new Set())} onDone=${() => { setPicked(new Set()); page.reload(); }} />`}
    <div class=${`scroll page ${page.fresh ? '' : 'stale'}`} aria-busy=${page.fresh ? 'false' : 'true'}>
      <table class="imports" role="table">
        <caption class="unseen">Imports, the newest first</caption>
        <thead role="rowgroup"><tr role="row">
          <th role="columnheader" scope="col" class="c-pick"><input type="checkbox" aria-label="Select all of this page" checked=${chosen.length > 0 && chosen.length === imports.length} onChange=${event => pick(imports || [], event.target.checked)} /></th>
          ${COLUMNS.map(([name, look]) => html`<${SortHead} key=${name} name=${name} look=${look} sort=${sort} onSort=${setSort} />`)}</tr></thead>
        <tbody role="rowgroup">${imports ? imports.map(job => html`<${ImportRow} key=${job.jobId} job=${job} filter=${filter} selected=${picked.has(job.jobId)} onSelect=${on => pick([job], on)} />`) : !page.error && html`<tr class="empty"><td colspan="8">Loading…</td></tr>`}</tbody>
      </table>
      ${imports && !imports.length && html`<p class="nothing">${filtered ? html`No import is like that. <a href=${href(['imports'])}>Show all</a>` : html`There are no imports yet. <a href=${href(['new'])}>Create one</a>, or <code>sluice import --server</code>.`}</p>`}
    </div>
    <${Pager} first=${(trail?.length ?? 0) * PAGE_SIZE + 1} count=${imports?.length} onNewer=${newer || null} onOlder=${older || null}
      newer=${trail ? 'Newer' : 'Newest'} older="Older" unit=${imports && !after && !next ? 'import' : ''} />`;
}

/** A column's head. Pressing it sorts this page up, then down, then as the service has it: newest first. */
function SortHead({ name, look, sort, onSort }) {
  const mine = sort?.name === name ? sort.direction : 0;
  const next = mine === 0 ? { name, direction: 1 } : mine === 1 ? { name, direction: -1 } : null;
  return html`<th role="columnheader" scope="col" class=${look} aria-sort=${mine === 1 ? 'ascending' : mine === -1 ? 'descending' : undefined}>
    <button type="button" class="sort" title="Sorts this page" onClick=${() => onSort(next)}>${name}<span aria-hidden="true">${mine === 1 ? ' ↑' : mine === -1 ? ' ↓' : ''}</span></button></th>`;
}

function sorted(imports, sort) {
  if (!imports || !sort) return imports;
  const value = COLUMNS.find(([name]) => name === sort.name)[2];
  const order = (x, y) => (typeof x === 'string' ? x.localeCompare(y) : x - y);
  return [...imports].sort((x, y) => sort.direction * order(value(x), value(y)));
}

/** Keeps a page's rows as they are now. Answers how the stream is. */
function useLiveRows(page) {
  const [connection, setConnection] = useState('connecting');
  const waiting = useRef(new Map());
  const known = useRef(new Map());
  const stale = useRef(false);
  const shown = useRef(null);
  shown.current = page.data?.imports;

  useEffect(() => follow('v1/events', {
    onState: state => {
      setConnection(state);
      // What happened while nobody listened is not told again.
      if (state === 'live') stale.current = true;
    },
    onEvent: (name, job) => {
      if (name !== 'import') return;
      const row = shown.current?.find(each => each.jobId === job.jobId);
      if (row) waiting.current.set(job.jobId, job);
      const before = known.current.get(job.jobId) ?? row?.state;
      if (before !== job.state) stale.current = true;
      if (known.current.size >= MAX_KNOWN) known.current.clear();
      known.current.set(job.jobId, job.state);
    },
  }), []);

  const { patch, reload } = page;
  useInterval(useCallback(() => {
    if (!waiting.current.size) return;
    const news = waiting.current;
    waiting.current = new Map();
    if (!shown.current?.some(job => news.has(job.jobId))) return;
    patch(data => ({ ...data, imports: data.imports.map(job => {
      const now = news.get(job.jobId);
      return now && now.version >= job.version ? now : job;
    }) }));
  }, [patch]), REDRAW_MILLIS);
  useInterval(() => {
    if (!stale.current) return;
    stale.current = false;
    reload();
  }, REFETCH_MILLIS);
  useInterval(reload, AGAIN_MILLIS);
  return connection;
}

function Filter({ filter, counts }) {
  const total = counts && Object.values(counts).reduce((sum, each) => sum + each, 0);
  const countOf = states => counts && states.reduce((sum, each) => sum + (counts[each] || 0), 0);
  const choose = states => href(['imports'], { ...filter, state: states.join(',') });
  const chips = [{ name: 'All', states: [] }, ...GROUPS];
  return html`<section class="filter" aria-label="Filter">
    <ul class="chips" aria-label="By state">${chips.map(({ name, states }) => html`<li key=${name}>
      <a href=${choose(states)} aria-current=${(filter.state || '') === states.join(',') ? 'true' : undefined}>${name} <span class="count">${states.length ? number(countOf(states)) : number(total)}</span></a></li>`)}
    </ul>
    <div class="fields">
      <${FilterField} name="search" label="Search" placeholder="Search id or table" filter=${filter} />
      <${FilterField} name="table" label="Table" placeholder="Table" filter=${filter} />
      <${FilterField} name="label" label="Label" placeholder="Label, name=value" filter=${filter} />
    </div>
  </section>`;
}

/** A text field that filters as one types; letters in between make no places to go back to. */
function FilterField({ name, label, placeholder, filter }) {
  const [text, setText] = useState(filter[name] || '');
  const sent = useRef(filter[name] || '');
  const timer = useRef(0);
  useEffect(() => {
    const now = filter[name] || '';
    if (now !== sent.current) { sent.current = now; setText(now); }
  }, [filter[name]]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = event => {
    const value = event.target.value;
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = value.trim();
      go(['imports'], { ...filter, [name]: value.trim() }, { replace: true });
    }, TYPING_MILLIS);
  };
  return html`<label><span class="unseen">${label}</span><input type="search" value=${text} placeholder=${placeholder} maxlength="256" spellcheck=${false} autocomplete="off" onInput=${type} /></label>`;
}
