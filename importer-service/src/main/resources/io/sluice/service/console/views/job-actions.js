// The buttons of an import: those that `actions` allows, on the version that the user sees. Cancelling is asked about first.

import { html, useRef, useState } from '../lib/ui.js';
import { act, get, importPath } from '../lib/api.js';
import { href } from '../lib/router.js';
import { isFinal } from '../lib/states.js';
import { number } from '../lib/format.js';
import { announce } from '../parts/announce.js';
import { Dialog } from '../parts/dialog.js';
import { Retry } from './reason.js';

const LABELS = { pause: 'Pause', resume: 'Resume', cancel: 'Cancel import' };

export function Actions({ job, put }) {
  const [sent, setSent] = useState(null);
  const [confirming, setConfirming] = useState(false);
  const opener = useRef(null);

  const run = async action => {
    setSent(action);
    try {
      put(await act(job, action));
    } catch (error) {
      announce(error.status === 412 ? 'The import changed meanwhile. Check its state, and press again if you still want to.' : error.message, { shown: true, bad: true });
      // What is shown was out of date, or may be.
      get(importPath(job.jobId)).then(put, () => {});
    } finally {
      setSent(null);
    }
  };
  const press = action => (action === 'cancel' ? setConfirming(true) : run(action));
  const close = () => {
    setConfirming(false);
    opener.current?.focus();
  };

  // All places are kept while an import can still do something, so that buttons do not move under the pointer.
  const offered = isFinal(job.state) ? [] : [job.actions.includes('resume') ? 'resume' : 'pause', 'cancel'];
  return html`<div class="buttons actions needs-submit">
    ${offered.map(action => html`<button type="button" key=${action === 'cancel' ? 'cancel' : 'run'} ref=${action === 'cancel' ? opener : undefined}
      class=${action === 'cancel' ? 'danger' : ''} disabled=${!job.actions.includes(action) || sent !== null} onClick=${() => press(action)}>${LABELS[action]}</button>`)}
    ${['failed', 'cancelled'].includes(job.state) && html`<${Retry} job=${job} />`}
    <a class="button" href=${href(['new'], { from: job.jobId })}>Duplicate</a>
    ${confirming && html`<${Dialog} label=${`Cancel ${job.jobId}?`} onClose=${close}>
      <h2>Cancel ${job.jobId}?</h2>
      <p>What it imported into ${job.table} so far is undone (${number(job.progress.rowsRead)} rows were read). ${job.spec.append ? 'The rows that the table had before stay.' : 'The table will not exist.'} A cancelled import cannot be resumed.</p>
      <div class="buttons end">
        <button type="button" autofocus onClick=${close}>Keep it</button>
        <button type="button" class="danger" onClick=${() => { close(); run('cancel'); }}>Cancel import</button>
      </div>
    </${Dialog}>`}
  </div>`;
}
