// Records that are not in the table and why: rejects, and rows that gave way to others. Both are pages of one kind.

import { html, useEffect, useRef } from '../lib/ui.js';
import { usePages } from '../lib/hooks.js';
import { baseName, number } from '../lib/format.js';
import { Pager, Problem } from '../parts/values.js';

const PAGE_SIZE = 50;

export function RejectsTab({ job }) {
  return html`<${Records} job=${job} below="/rejects" count=${job.progress.rowsRejected} caption="Rejected records in the order of the input"
    none="Every record that was read is a row of the table." />`;
}

export function ConflictsTab({ job }) {
  return html`<${Records} job=${job} below="/conflicts" count=${job.progress.rowsConflicting ?? 0} caption="Rows that gave way to others with the same key" conflicts
    none=${job.spec.onConflict === 'capture' ? 'No two rows have the same key and different values.' : `Rows that give way are listed here when the import is made with onConflict capture; this one has ${job.spec.onConflict || 'error'}.`} />`;
}

function Records({ job, below, count, caption, conflicts, none }) {
  const page = usePages(job.jobId, below, PAGE_SIZE);
  const seen = useRef(count);
  const rows = page.data?.rejects;
  useEffect(() => {
    // More of them matter to a page that is not full; full pages stay as they are while one reads them.
    if (count !== seen.current && (!rows || rows.length < PAGE_SIZE)) page.reload();
    seen.current = count;
  }, [count]);
  if (page.error && !rows) return html`<${Problem} error=${page.error} onRetry=${page.reload} />`;
  return html`
    ${rows?.length > 0 && html`<${Replay} bundle=${page.data.bundle} conflicts=${conflicts} />`}
    <div class=${`scroll panel table ${page.fresh ? '' : 'stale'}`}>
      ${rows && !rows.length ? html`<p class="nothing">${none}</p>` : html`<table class="dense records" role="table">
        <caption class="unseen">${caption}</caption>
        <thead role="rowgroup"><tr role="row">${(conflicts ? ['Where', 'Index and key', 'Why', 'Stays', 'Record'] : ['Where', 'Column', 'Why', 'Record']).map(name => html`<th key=${name} scope="col" role="columnheader">${name}</th>`)}</tr></thead>
        <tbody role="rowgroup">${rows ? rows.map((each, i) => html`<tr key=${page.first + i} role="row">
          <th scope="row" role="rowheader" class="where" title=${place(each, true)}>${place(each)}</th>
          <td role="cell" class="what">${conflicts ? html`${each.index}<div class="second mono">${each.key}</div>` : each.column ?? html`<span class="soft">record</span>`}</td>
          <td role="cell" class="why"><code class="code">${each.code}</code> ${each.message}</td>
          ${conflicts && html`<td role="cell" class="where" title=${each.other ? place(each.other, true) : ''}>${each.other?.file ? place(each.other) : 'row of the table'}</td>`}
          <td role="cell" class="excerpt">${each.excerpt ? html`<code>${each.excerpt}</code>` : html`<span class="soft">–</span>`}</td></tr>`) : html`<tr class="empty"><td colspan="5">Loading…</td></tr>`}</tbody>
      </table>`}
    </div>
    <${Pager} first=${page.first} count=${rows?.length} total=${count >= (rows?.length ?? 0) ? count : undefined} onOlder=${page.onOlder} onNewer=${page.onNewer} unit="record" />`;
}

/** file:line:column, as editors take it; the byte where there are no lines. */
function place(at, whole = false) {
  const name = at.file ? (whole ? at.file : baseName(at.file)) : 'input';
  const where = at.line !== undefined && at.line !== null ? `${at.line}${at.field ? `:${at.field}` : ''}` : at.byte !== undefined ? `@${at.byte}` : '';
  const more = whole && at.byte !== undefined ? `, byte ${number(at.byte)}` : '';
  return where ? `${name}:${where}${more}` : name + more;
}

function Replay({ bundle, conflicts }) {
  return html`<details class="replay"><summary>Repair and import ${conflicts ? 'them' : 'them again'}</summary>
    <p>${bundle ? html`All of them are in <code>${bundle}</code> with their original bytes.` : 'All of them are in the bundle of the import, with their original bytes.'}
      ${' '}Repair <code>rejects.csv</code> there, then:</p>
    <pre tabindex="0"><code>${`./sluice replay ${bundle || 'BUNDLE'} --store STORE${conflicts ? ' --on-conflict last' : ''}`}</code></pre>
    ${conflicts && html`<p class="soft">With <code>--on-conflict last</code> repaired rows replace the rows they gave way to; without it rows with free keys are added.</p>`}
  </details>`;
}
