// The tables that jobs import into, and one of them: rows, size, DDL, a sample of rows, where it lies, and its LSM tree.

import { html, useEffect, useRef, useState } from '../lib/ui.js';
import { get, send, tablePath } from '../lib/api.js';
import { useInterval, useLoaded } from '../lib/hooks.js';
import { keyText } from '../lib/keys.js';
import { go, href } from '../lib/router.js';
import { bytes, number, plural } from '../lib/format.js';
import { announce } from '../parts/announce.js';
import { Dialog } from '../parts/dialog.js';
import { RowTable } from '../parts/rows.js';
import { Figure, Problem, Time } from '../parts/values.js';
import { LsmHistory } from './lsm.js';

const AGAIN_MILLIS = 5000;
const SAMPLE_ROWS = 20;

/** Bytes of all KVs of a table, before compression and copies. */
const sizeOf = table => table.imported.reduce((sum, index) => sum + index.bytes, 0);
const rowsOf = table => html`${table.counted === false ? 'at least ' : ''}${number(table.rows)}`;

export function TablesView() {
  const { data: tables, error, reload } = useLoaded(signal => get('v1/tables', {}, signal), []);
  useInterval(reload, AGAIN_MILLIS);
  useEffect(() => { document.title = 'Tables – Sluice'; }, []);
  return html`
    <div class="title"><h1 tabindex="-1">Tables</h1><a class="button primary needs-submit" href=${href(['new'])}>New import</a></div>
    ${error && !tables && html`<${Problem} error=${error} onRetry=${reload} />`}
    ${!tables && !error && html`<div class="panel placeholder tall" aria-busy="true"></div>`}
    ${tables && html`<div class="scroll panel table" tabindex="0" role="group" aria-label="Tables">
      ${tables.length ? html`<table class="dense">
        <caption class="unseen">${plural(tables.length, 'table')}</caption>
        <thead><tr><th scope="col">Table</th><th scope="col" class="n">Rows</th><th scope="col" class="n">Size of KVs</th><th scope="col" class="n">Indexes</th><th scope="col">Published</th></tr></thead>
        <tbody>${tables.map(table => html`<tr key=${table.table.def.name}>
          <th scope="row"><a class="id" href=${href(['tables', table.table.def.name])}>${table.table.def.name}</a>${table.incomplete && html`<div class="second bad">${table.incomplete}</div>`}</th>
          <td class="n">${rowsOf(table)}</td><td class="n">${bytes(sizeOf(table))}</td><td class="n">${number(table.imported.length)}</td><td><${Time} at=${table.publishedAt} /></td></tr>`)}</tbody>
      </table>` : html`<p class="nothing">There are no tables yet. <a class="needs-submit" href=${href(['new'])}>Import one</a></p>`}
    </div>`}`;
}

export function TableView({ name }) {
  const { data: table, error, reload } = useLoaded(signal => get(tablePath(name), {}, signal), [name]);
  const rows = useLoaded(signal => sample(name, signal), [name]);
  useInterval(reload, AGAIN_MILLIS);
  useEffect(() => { document.title = `${name} – Sluice`; }, [name]);
  return html`
    <p class="crumb"><a href=${href(['tables'])}>Tables</a></p>
    <div class="title"><h1 tabindex="-1">${name}</h1>
      ${table && html`<div class="buttons actions">
        <a class="button needs-submit" href=${href(['new'], { table: name })}>Append to this</a>
        <a class="button" href=${href(['imports'], { table: name })}>Imports</a>
        <${Drop} name=${name} table=${table} />
      </div>`}</div>
    ${error && !table && html`<${Problem} error=${error} onRetry=${error.status === 404 ? undefined : reload} />`}
    ${!table && !error && html`<div class="panel placeholder tall" aria-busy="true"></div>`}
    ${table && html`
      ${table.incomplete && html`<div class="note bad"><p>${table.incomplete}</p></div>`}
      <section class="panel" aria-label="Figures"><dl class="figures">
        <${Figure} name="Rows" note=${table.counted === false ? 'a node did not answer' : ''}>${rowsOf(table)}</${Figure}>
        <${Figure} name="Size of KVs" note="before compression">${bytes(sizeOf(table))}</${Figure}>
        <${Figure} name="Columns">${number(visible(table).length)}</${Figure}>
      </dl>
      <dl class="times"><div><dt>Published</dt><dd><${Time} at=${table.publishedAt} /></dd></div></dl></section>
      <div class="columns">
        <section class="panel"><h2>Indexes</h2><${Indexes} table=${table} /></section>
        <section class="panel"><h2>DDL</h2><pre tabindex="0"><code>${table.ddl}</code></pre></section>
        ${table.directory.ranges.length > 0 && html`<section class="panel"><h2>Where it lies <span class="soft">${plural(table.directory.ranges.length, 'range')}</span></h2><${Ranges} ranges=${table.directory.ranges} table=${table.table} /></section>`}
      </div>
      <section class="panel" aria-label="Sample of rows"><h2>First rows <span class="soft">in the order of the primary key</span></h2>
        ${rows.error ? html`<${Problem} error=${rows.error} onRetry=${rows.reload} />`
        : !rows.data ? html`<div class="placeholder"></div>`
        : rows.data.length ? html`<${RowTable} label=${`First rows of ${name}`} columns=${visible(table).map(column => ({ name: column.name, type: column.type.kind }))} rows=${rows.data.map(row => row.filter((_, i) => !table.table.def.columns[i].hidden))} />`
        : html`<p class="nothing">The table has no rows.</p>`}
      </section>
      <section aria-label="LSM tree"><h2>Stacks of SSTs over the keys</h2><${LsmHistory} path=${tablePath(name, '/lsm')} working=${false} /></section>`}`;
}

const visible = table => table.table.def.columns.filter(column => !column.hidden);

/** The first rows; the answer has one JSON array a line. */
async function sample(name, signal) {
  const response = await send(tablePath(name, '/rows'), { query: { limit: SAMPLE_ROWS }, headers: { Accept: 'application/x-ndjson' }, signal });
  return (await response.text()).split('\n').filter(Boolean).map(line => JSON.parse(line));
}

function Indexes({ table }) {
  const { def } = table.table;
  const columnsOf = index => index.columns.map(part => `${def.columns[part.column].name}${part.direction === 'DESC' ? ' DESC' : ''}`).join(', ');
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Indexes"><table class="dense">
    <caption class="unseen">Indexes of ${def.name}</caption>
    <thead><tr><th scope="col">Index</th><th scope="col">Columns</th><th scope="col" class="n">KVs</th><th scope="col" class="n">Size</th></tr></thead>
    <tbody>${[def.primary, ...def.secondaries].map((index, i) => html`<tr key=${index.name}><th scope="row">${index.name}${i > 0 && index.unique ? html` <span class="soft">unique</span>` : ''}</th><td class="mono">${columnsOf(index)}</td>
      <td class="n">${number(table.imported[i]?.count)}</td><td class="n">${bytes(table.imported[i]?.bytes)}</td></tr>`)}</tbody>
  </table></div>`;
}

function Ranges({ ranges, table }) {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Ranges"><table class="dense">
    <caption class="unseen">Key ranges and their nodes</caption>
    <thead><tr><th scope="col">From key</th><th scope="col">Nodes</th></tr></thead>
    <tbody>${ranges.map((range, i) => html`<tr key=${i}><td class="mono">${keyText(range.start, table) || 'first key'}</td><td class="mono">${(range.nodes || []).join(', ')}</td></tr>`)}</tbody>
  </table></div>`;
}

/** Drops the table once its name was typed. */
function Drop({ name, table }) {
  const [asking, setAsking] = useState(false);
  const [text, setText] = useState('');
  const [error, setError] = useState(null);
  const [sent, setSent] = useState(false);
  const opener = useRef(null);
  const close = () => {
    setAsking(false);
    setText('');
    setError(null);
    opener.current?.focus();
  };
  const drop = async event => {
    event.preventDefault();
    if (text !== name) return;
    setSent(true);
    try {
      await send(tablePath(name), { method: 'DELETE' });
      announce(`Table ${name} is dropped.`, { shown: true });
      go(['tables']);
    } catch (e) {
      setError(e);
      setSent(false);
    }
  };
  return html`<button type="button" class="danger needs-operate" ref=${opener} onClick=${() => setAsking(true)}>Drop table</button>
    ${asking && html`<${Dialog} label=${`Drop ${name}?`} onClose=${close}>
      <form onSubmit=${drop}>
        <h2>Drop ${name}?</h2>
        <p>Its ${plural(table.rows, 'row')} and all its indexes are deleted. This cannot be undone.</p>
        ${error && html`<p class="field-error" role="alert">${error.message}</p>`}
        <label class="field">Type the table’s name to confirm<input value=${text} class="mono" autocomplete="off" spellcheck=${false} autofocus onInput=${event => setText(event.target.value)} /></label>
        <div class="buttons end bottom"><button type="button" onClick=${close}>Keep it</button><button type="submit" class="danger" disabled=${text !== name || sent}>Drop table</button></div>
      </form>
    </${Dialog}>`}`;
}
