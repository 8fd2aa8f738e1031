// Why an import failed, and the ways out: buttons that fill the form with what mends it, and the same as a command.

import { html, useState } from '../lib/ui.js';
import { freshKey, get, importPath, send } from '../lib/api.js';
import { go, href } from '../lib/router.js';
import { percent } from '../lib/format.js';
import { announce } from '../parts/announce.js';
import { useLoaded } from '../lib/hooks.js';
import { PlacedRecord } from './records.js';

/** Kinds of failures: a headline, and the changes that mend the request. A change names members as JSON pointers. */
const FAILURES = {
  too_many_rejects: {
    title: 'More records are bad than the import allows.',
    ways: job => [
      { label: `Allow ${allowance(job)}`, change: { '/maxRejects': allowance(job) }, why: 'bad records are left out and kept for repair' },
      { label: 'Change the format', change: {}, why: 'if all records look shifted or cut' },
    ],
  },
  format: {
    title: 'The input does not fit the table.',
    ways: () => [{ label: 'Change format or schema', change: {}, why: 'the form shows the first records as they are read' }],
  },
  conflict: {
    title: 'Rows have the same key and different values.',
    ways: () => [
      { label: 'Keep the first, capture the others', change: { '/onConflict': 'capture' }, why: 'rows that lose are listed for repair' },
      { label: 'Keep the last', change: { '/onConflict': 'last' } },
    ],
  },
  verification: {
    title: 'What the nodes hold differs from what was sent.',
    ways: () => [{ label: 'Import again and read everything back', change: { '/verify': 'full' }, why: 'check the disks and logs of the nodes first' }],
  },
  table_exists: {
    title: 'The table exists already.',
    ways: job => [
      { label: `Append to ${job.table}`, change: { '/append': 'true', '/mode': '' }, why: 'rows with keys that it has are conflicts' },
      { label: `Show ${job.table}`, to: href(['tables', job.table]), why: 'drop it there, then retry' },
    ],
  },
  no_table: {
    title: 'There is no table to append to.',
    ways: () => [{ label: 'Import as a new table', change: { '/append': '' } }],
  },
  invalid: { title: 'An input or the request is not right.', ways: () => [{ label: 'Change the request', change: {} }] },
  operation: { title: 'The work failed; the same import may succeed later.', ways: () => [] },
  defect: { title: 'This is a defect of Sluice.', ways: () => [] },
};

/** A share of bad records that this import would have passed with, rounded up; the number where that is clearer. */
function allowance(job) {
  const { rowsRejected, rowsRead } = job.progress;
  const share = rowsRejected / Math.max(1, rowsRead);
  return share > 0 && share < 0.2 ? `${Math.ceil(share * 100) + 1}%` : '50%';
}

export function ReasonTab({ job }) {
  const kind = FAILURES[job.failure] || { title: 'The import failed.', ways: () => [] };
  const [first, ...rest] = (job.message || 'no reason was kept').split('\n');
  const rejected = job.progress.rowsRejected > 0;
  // The record that the message quotes is shown with its value marked.
  const explained = rest.filter(line => !(rejected && line.startsWith('    ')));
  return html`<div class="panel reason">
    <h2>${kind.title}</h2>
    <p class="lines first">${first}</p>
    ${explained.length > 0 && html`<pre tabindex="0"><code>${explained.join('\n')}</code></pre>`}
    ${rejected && html`<${FirstReject} job=${job} />`}
    <h3>What you can do</h3>
    <ul class="ways">
      ${kind.ways(job).map(way => html`<li key=${way.label}><a class="button" href=${way.to || href(['new'], { from: job.jobId, ...way.change })}>${way.label}</a> <span class="soft">${way.why || ''}</span></li>`)}
      <li><${Retry} job=${job} /> <span class="soft">the same request under a new id, once the cause is gone</span></li>
      ${rejected && html`<li><a class="button" href=${href(['imports', job.jobId, 'rejects'])}>Show the bad records</a> <span class="soft">${percent(job.progress.rowsRejected / Math.max(1, job.progress.rowsRead))} of those read</span></li>`}
    </ul>
    <p class="soft small">The table is as it was before. On a terminal: <code>sluice jobs show ${job.jobId}</code></p>
  </div>`;
}

function FirstReject({ job }) {
  const { data } = useLoaded(signal => get(importPath(job.jobId, '/rejects'), { pageSize: 1 }, signal), [job.jobId]);
  const first = data?.rejects?.[0];
  return first ? html`<${PlacedRecord} record=${first} />` : null;
}

/** Sends the same request again; its id is made up. */
export function Retry({ job }) {
  const [sent, setSent] = useState(false);
  const press = async () => {
    setSent(true);
    try {
      const created = await retry(job.jobId);
      announce(`Import ${created.jobId} is in the queue.`, { shown: true });
      go(['imports', created.jobId]);
    } catch (error) {
      announce(error.message, { shown: true, bad: true });
      setSent(false);
    }
  };
  return html`<button type="button" disabled=${sent} onClick=${press}>Retry</button>`;
}

/** Creates an import with the whole request of another, whose list may show the first inputs only. */
export async function retry(id) {
  const whole = await get(importPath(id));
  const { jobId, ...body } = whole.spec;
  const response = await send('v1/imports', { method: 'POST', body, headers: { 'Idempotency-Key': freshKey() } });
  return response.json();
}
