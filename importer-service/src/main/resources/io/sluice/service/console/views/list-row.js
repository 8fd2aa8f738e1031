// One import in the list: two lines, always as tall as the others, whatever state it is in.

import { html } from '../lib/ui.js';
import { serviceMillis } from '../lib/api.js';
import { href } from '../lib/router.js';
import { isAtWork, isFinal, limiterName, PHASES, STATES } from '../lib/states.js';
import { age, bytes, duration, number, percent, remaining, short } from '../lib/format.js';
import { Badge } from '../parts/badge.js';
import { Bar, Labels, Time } from '../parts/values.js';

export function ImportRow({ job, filter, selected, onSelect }) {
  const { progress } = job;
  const rejected = (progress.rowsRejected || 0) + (progress.rowsConflicting || 0);
  return html`<tr role="row">
    <td role="cell" class="c-pick"><input type="checkbox" aria-label=${`Select ${job.jobId}`} checked=${selected} onChange=${event => onSelect(event.target.checked)} /></td>
    <th scope="row" role="rowheader" class="c-id"><a class="id" href=${href(['imports', job.jobId])}>${job.jobId}</a>
      <div class="second"><${Labels} labels=${job.spec.labels} hrefOf=${(name, value) => href(['imports'], { ...filter, label: `${name}=${value}` })} /></div></th>
    <td role="cell" class="c-table"><a title=${job.table} href=${href(['imports'], { ...filter, table: job.table })}>${job.table}</a><div class="second">${job.mode || ''}</div></td>
    <td role="cell" class="c-state"><${Badge} state=${job.state} /><div class="second">${stateNote(job)}</div></td>
    <td role="cell" class="c-progress"><div class="measure"><${Bar} fraction=${progress.fraction} look=${STATES[job.state]?.look} label=${`Progress of ${job.jobId}`} /><span class="share">${percent(progress.fraction)}</span></div>
      <div class="second clip">${progressNote(job)}</div></td>
    <td role="cell" class="n c-rows" title=${`${number(progress.rowsRead)} rows read`}>${short(progress.rowsImported ?? progress.rowsRead)}<div class="second">${rejected > 0 ? html`<a href=${href(['imports', job.jobId, progress.rowsRejected ? 'rejects' : 'conflicts'])}>${short(rejected)} bad</a>` : ''}</div></td>
    <td role="cell" class="n c-rate">${isAtWork(job.state) ? `${bytes(progress.bytesPerSecond)}/s` : '–'}<div class="second">${isAtWork(job.state) ? remaining(progress.etaSeconds) : progress.elapsedSeconds ? `${isFinal(job.state) ? 'took' : 'ran'} ${duration(progress.elapsedSeconds)}` : ''}</div></td>
    <td role="cell" class="n c-time"><${Time} at=${job.createdAt} /><div class="second">${age(job.createdAt, serviceMillis())} · ${bytes(progress.bytesTotal ?? progress.bytesRead)}</div></td>
  </tr>`;
}

function stateNote(job) {
  if (job.state === 'pending' && job.queuePosition !== undefined) return job.queuePosition === 0 ? 'next' : `${number(job.queuePosition)} before it`;
  if (isAtWork(job.state) && job.phase) return PHASES[job.phase] || job.phase;
  return job.attempt > 1 ? `attempt ${job.attempt}` : '';
}

function progressNote(job) {
  if (isAtWork(job.state) && job.progress.limiter) return `limited by ${limiterName(job.progress.limiter)}`;
  return (job.message || '').split('\n')[0];
}
