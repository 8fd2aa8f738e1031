// The inputs of an import and how far each has been read, a page at a time, asked for again while it runs.

import { html } from '../lib/ui.js';
import { useInterval, usePages } from '../lib/hooks.js';
import { isAtWork } from '../lib/states.js';
import { baseName, bytes, percent } from '../lib/format.js';
import { Bar, Pager, Problem } from '../parts/values.js';

const PAGE_SIZE = 100;
const AGAIN_MILLIS = 2000;

export function FilesTab({ job }) {
  const page = usePages(job.jobId, '/files', PAGE_SIZE);
  useInterval(page.reload, isAtWork(job.state) ? AGAIN_MILLIS : null);
  const files = page.data?.files;
  if (page.error && !files) return html`<${Problem} error=${page.error} onRetry=${page.reload} />`;
  return html`
    <div class=${`scroll panel table files ${page.fresh ? '' : 'stale'}`} tabindex="0" role="group" aria-label="Inputs"><table class="dense" role="table">
      <caption class="unseen">Inputs in the order of the import</caption>
      <thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Input</th><th scope="col" role="columnheader" class="c-progress">Read</th><th scope="col" role="columnheader" class="n">Bytes</th><th scope="col" role="columnheader" class="n">Of</th></tr></thead>
      <tbody role="rowgroup">${files ? files.map((file, i) => html`<tr key=${i} role="row">
        <th scope="row" role="rowheader" class="path" title=${file.name}><span class="dir">${file.name.slice(0, file.name.length - baseName(file.name).length)}</span>${file.name.endsWith(baseName(file.name)) ? baseName(file.name) : file.name}</th>
        <td role="cell" class="c-progress">${file.bytesTotal ? html`<div class="measure"><${Bar} fraction=${Math.min(1, file.bytesRead / file.bytesTotal)} look=${file.bytesRead >= file.bytesTotal ? 'good' : 'active'} label=${`Read of ${file.name}`} /><span class="share">${percent(Math.min(1, file.bytesRead / file.bytesTotal))}</span></div>` : html`<span class="soft">${file.bytesRead ? 'length not known' : 'not begun'}</span>`}</td>
        <td role="cell" class="n">${bytes(file.bytesRead)}</td><td role="cell" class="n">${bytes(file.bytesTotal)}</td></tr>`) : html`<tr class="empty"><td colspan="4">Loading…</td></tr>`}</tbody>
    </table>
    ${files && !files.length && html`<p class="nothing">The inputs are known once the import has begun.</p>`}</div>
    <${Pager} first=${page.first} count=${files?.length} total=${page.data?.total} onOlder=${page.onOlder} onNewer=${page.onNewer} unit="input" />`;
}
