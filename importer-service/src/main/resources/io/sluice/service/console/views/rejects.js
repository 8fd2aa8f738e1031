// Records that are not in the table and why: rejects by reason and column, and rows that lost to others. A reject can be
// edited and added to the table where it stands.

import { html, useEffect, useRef, useState } from '../lib/ui.js';
import { get, importPath } from '../lib/api.js';
import { useLoaded, usePages } from '../lib/hooks.js';
import { number } from '../lib/format.js';
import { Pager, Problem } from '../parts/values.js';
import { Excerpt, place } from './records.js';
import { RepairForm, whyNotEdited } from './repair.js';

const PAGE_SIZE = 50;

export function RejectsTab({ job }) {
  const [group, setGroup] = useState(null);
  const chosen = group ? `?code=${encodeURIComponent(group.code)}&column=${encodeURIComponent(group.column)}` : '';
  return html`<${Groups} job=${job} chosen=${group} onChoose=${setGroup} />
    <${Records} key=${chosen} job=${job} below=${`/rejects${chosen}`} count=${group ? group.count : job.progress.rowsRejected} caption="Rejected records in the order of the input"
    none="Every record that was read is a row of the table." />`;
}

export function ConflictsTab({ job }) {
  return html`<${Records} job=${job} below="/conflicts" count=${job.progress.rowsConflicting ?? 0} caption="Rows that lost to others with the same key" conflicts
    none=${job.spec.onConflict === 'capture' ? 'No two rows have the same key and different values.' : `Rows that lose are listed here if the import has onConflict capture; this one has ${job.spec.onConflict || 'error'}.`} />`;
}

/** How many rejects there are of each reason and column; choosing one shows those alone. */
function Groups({ job, chosen, onChoose }) {
  const { data } = useLoaded(signal => get(importPath(job.jobId, '/rejects/groups'), {}, signal), [job.jobId, job.progress.rowsRejected]);
  if (!data?.groups.length) return null;
  const same = group => chosen && chosen.code === group.code && chosen.column === group.column;
  return html`<div class="toggle groups" role="group" aria-label="By reason and column">
    <button type="button" aria-pressed=${chosen ? 'false' : 'true'} onClick=${() => onChoose(null)}>All <b>${number(job.progress.rowsRejected)}</b></button>
    ${data.groups.map(group => html`<button type="button" key=${`${group.code} ${group.column}`} title=${group.message} aria-pressed=${same(group) ? 'true' : 'false'} onClick=${() => onChoose(group)}>
      ${group.code} ${group.column ? html`in <span class="mono">${group.column}</span>` : 'of records'} <b>${number(group.count)}${data.complete ? '' : '+'}</b></button>`)}
  </div>`;
}

function Records({ job, below, count, caption, conflicts, none }) {
  const page = usePages(job.jobId, below, PAGE_SIZE);
  const seen = useRef(count);
  const [editing, edit] = useState(null);
  const [added, setAdded] = useState(() => new Set());
  const opener = useRef(null);
  const rows = page.data?.rejects;
  const barred = conflicts ? 'Rows that lost are repaired in their bundle.' : whyNotEdited(job);
  useEffect(() => {
    // More of them matter to a page that is not full; full pages stay as they are while one reads them.
    if (count !== seen.current && (!rows || rows.length < PAGE_SIZE)) page.reload();
    seen.current = count;
  }, [count]);
  if (page.error && !rows) return html`<${Problem} error=${page.error} onRetry=${page.reload} />`;
  const done = at => {
    setAdded(new Set([...added, at]));
    edit(null);
    opener.current?.focus();
  };
  const heads = conflicts ? ['Where', 'Index and key', 'Why', 'Stays', 'Record'] : ['Where', 'Column', 'Why', 'Record'];
  return html`
    ${rows?.length > 0 && html`<${Replay} bundle=${page.data.bundle} conflicts=${conflicts} />`}
    ${rows?.length > 0 && !conflicts && barred && html`<p class="soft small">${barred}</p>`}
    <div class=${`scroll panel table ${page.fresh ? '' : 'stale'}`}>
      ${rows && !rows.length ? html`<p class="nothing">${none}</p>` : html`<table class="dense records" role="table">
        <caption class="unseen">${caption}</caption>
        <thead role="rowgroup"><tr role="row">${heads.map(name => html`<th key=${name} scope="col" role="columnheader">${name}</th>`)}</tr></thead>
        <tbody role="rowgroup">${rows ? rows.map((each, i) => html`<tr key=${page.first + i} role="row">
          <th scope="row" role="rowheader" class="where" title=${place(each, true)}>${place(each)}</th>
          <td role="cell" class="what">${conflicts ? html`${each.index}<div class="second mono">${each.key}</div>` : each.column ?? html`<span class="soft">record</span>`}</td>
          <td role="cell" class="why"><code class="code">${each.code}</code> ${each.message}</td>
          ${conflicts && html`<td role="cell" class="where" title=${each.other ? place(each.other, true) : ''}>${each.other?.file ? place(each.other) : 'row of the table'}</td>`}
          <td role="cell" class="excerpt"><${Excerpt} record=${each} />
            ${!barred && each.record !== undefined && html`<div>${added.has(page.first + i) ? html`<span class="badge good">added</span>`
              : html`<button type="button" class="link needs-submit" aria-expanded=${editing === page.first + i ? 'true' : 'false'} onClick=${event => { opener.current = event.target; edit(editing === page.first + i ? null : page.first + i); }}>${editing === page.first + i ? 'Close' : 'Edit'}</button>`}</div>`}
            ${editing === page.first + i && html`<${RepairForm} job=${job} record=${each} onAdded=${() => done(page.first + i)} />`}</td></tr>`) : html`<tr class="empty"><td colspan="5">Loading…</td></tr>`}</tbody>
      </table>`}
    </div>
    <${Pager} first=${page.first} count=${rows?.length} total=${count >= (rows?.length ?? 0) ? count : undefined} onOlder=${page.onOlder} onNewer=${page.onNewer} unit="record" />`;
}

function Replay({ bundle, conflicts }) {
  return html`<details class="replay"><summary>Repair and import ${conflicts ? 'them' : 'them again'}</summary>
    <p>${bundle ? html`All of them are in <code>${bundle}</code> with their original bytes.` : 'All of them are in the bundle of the import, with their original bytes.'}
      ${' '}Repair <code>rejects.csv</code> there, then:</p>
    <pre tabindex="0"><code>${`./sluice replay ${bundle || 'BUNDLE'} --server ${location.origin}${conflicts ? ' --on-conflict last' : ''}`}</code></pre>
    ${conflicts && html`<p class="soft">With <code>--on-conflict last</code> repaired rows replace the rows that they lost to; without it rows with free keys are added.</p>`}
  </details>`;
}
