// Actions on several imports of the list: each is sent for those that allow it, and what failed is told at the end.

import { html, useRef, useState } from '../lib/ui.js';
import { act } from '../lib/api.js';
import { plural } from '../lib/format.js';
import { announce } from '../parts/announce.js';
import { Dialog } from '../parts/dialog.js';
import { retry } from './reason.js';

const ACTIONS = [
  { name: 'pause', label: 'Pause', fits: job => job.actions.includes('pause'), run: job => act(job, 'pause') },
  { name: 'resume', label: 'Resume', fits: job => job.actions.includes('resume'), run: job => act(job, 'resume') },
  { name: 'retry', label: 'Retry', fits: job => ['failed', 'cancelled'].includes(job.state), run: job => retry(job.jobId) },
  { name: 'cancel', label: 'Cancel imports', danger: true, fits: job => job.actions.includes('cancel'), run: job => act(job, 'cancel') },
];

export function BulkBar({ jobs, onClear, onDone }) {
  const [running, setRunning] = useState(false);
  const [confirming, setConfirming] = useState(null);
  const opener = useRef(null);
  const run = async action => {
    setRunning(true);
    const failed = [];
    const fitting = jobs.filter(action.fits);
    for (const job of fitting) {
      try { await action.run(job); } catch (error) { failed.push(`${job.jobId}: ${error.message}`); }
    }
    announce(failed.length ? failed.join(' ') : `${action.label}: ${plural(fitting.length, 'import')}.`, { shown: true, bad: failed.length > 0 });
    setRunning(false);
    onDone();
  };
  const close = () => { setConfirming(null); opener.current?.focus(); };
  return html`<div class="panel bulk needs-submit" role="group" aria-label="Selected imports">
    <span><b>${plural(jobs.length, 'import')}</b> selected</span>
    ${ACTIONS.map(action => {
      const count = jobs.filter(action.fits).length;
      return html`<button type="button" key=${action.name} ref=${action.danger ? opener : undefined} class=${action.danger ? 'danger' : ''} disabled=${running || !count}
        onClick=${() => (action.danger ? setConfirming(action) : run(action))}>${action.label}${count && count < jobs.length ? ` (${count})` : ''}</button>`;
    })}
    <button type="button" class="plain" onClick=${onClear}>Clear</button>
    ${confirming && html`<${Dialog} label="Cancel the imports?" onClose=${close}>
      <h2>Cancel ${plural(jobs.filter(confirming.fits).length, 'import')}?</h2>
      <p>What they imported so far is undone. Cancelled imports cannot be resumed.</p>
      <div class="buttons end"><button type="button" autofocus onClick=${close}>Keep them</button><button type="button" class="danger" onClick=${() => { close(); run(confirming); }}>Cancel imports</button></div>
    </${Dialog}>`}
  </div>`;
}
