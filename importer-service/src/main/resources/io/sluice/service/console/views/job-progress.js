// Progress of one import in figures: how far, how fast, how long still, what holds it back. Every figure has its place
// from the start, so that nothing moves when it becomes known.

import { html } from '../lib/ui.js';
import { STATES, isAtWork, isFinal, limiterName, limiterSentence, PHASES } from '../lib/states.js';
import { bytes, duration, number, percent, plural, remaining } from '../lib/format.js';
import { Bar, Figure, Time } from '../parts/values.js';

export function ProgressPanel({ job }) {
  const p = job.progress;
  const active = isAtWork(job.state);
  return html`<section class="panel progress" aria-label="Progress">
    <div class="measure large"><${Bar} fraction=${p.fraction} look=${STATES[job.state]?.look} label="Progress" /><span class="share">${percent(p.fraction)}</span></div>
    <p class=${`limiter ${active ? 'active' : ''}`}>${headline(job)}</p>
    <dl class="figures">
      <${Figure} name=${isFinal(job.state) ? 'Took' : 'Time left'} note=${isFinal(job.state) ? 'while it ran' : p.elapsedSeconds !== undefined ? `${duration(p.elapsedSeconds)} so far` : ''}>${isFinal(job.state) ? duration(p.elapsedSeconds) : active ? remaining(p.etaSeconds).replace(' left', '') || 'not known' : '–'}</${Figure}>
      <${Figure} name="Read" note=${p.bytesTotal !== undefined ? `of ${bytes(p.bytesTotal)}` : 'total not known'}>${bytes(p.bytesRead)}</${Figure}>
      <${Figure} name="Rate" note=${active ? `${number(p.rowsPerSecond)} rows/s` : ''}>${active ? `${bytes(p.bytesPerSecond)}/s` : '–'}</${Figure}>
      <${Figure} name="Rows read" note=${p.rowsImported !== undefined ? `${number(p.rowsImported)} imported` : isFinal(job.state) ? 'none imported' : 'not visible yet'}>${number(p.rowsRead)}</${Figure}>
      <${Figure} name="Rejected" note=${`${number(p.rowsConflicting ?? 0)} conflicting`}>${number(p.rowsRejected)}</${Figure}>
      <${Figure} name="KVs" note=${`${number(p.puts)} put`}>${number(p.kvs)}</${Figure}>
      <${Figure} name="SSTs ingested" note=${`of ${number(p.sstsBuilt)} built`}>${number(p.sstsIngested)}</${Figure}>
      <${Figure} name="Height" note=${p.files !== undefined ? `${plural(p.files, 'file')} in all trees` : ''}>${number(p.height)}</${Figure}>
    </dl>
    <dl class="times">
      <div><dt>Created</dt><dd><${Time} at=${job.createdAt} /></dd></div>
      <div><dt>Started</dt><dd><${Time} at=${job.startedAt} /></dd></div>
      <div><dt>${job.finishedAt ? 'Finished' : 'Last checkpoint'}</dt><dd><${Time} at=${job.finishedAt || p.lastCheckpointAt} /></dd></div>
    </dl>
  </section>`;
}

/** The first line of what the service says, as a sentence. The rest, if there is more, is a note above. */
const sentence = text => {
  const line = text.split('\n')[0];
  return line[0].toUpperCase() + line.slice(1) + (/[.!?]$/.test(line) ? '' : '.');
};

/** One line that says what goes on, and what holds it back. */
function headline(job) {
  const { limiter } = job.progress;
  if (isAtWork(job.state)) {
    const phase = job.state === 'running' ? PHASES[job.phase] || job.phase || 'starting' : STATES[job.state].label.toLowerCase();
    const does = phase[0].toUpperCase() + phase.slice(1);
    return limiter ? html`<b>${does}</b>, limited by <b>${limiterName(limiter)}</b>. <span class="soft">${limiterSentence(limiter)}</span>` : html`<b>${does}.</b>`;
  }
  switch (job.state) {
    case 'pending': return job.queuePosition ? `Waits for ${plural(job.queuePosition, 'import')} before it.` : 'Begins as soon as a slot is free.';
    case 'paused': return html`<b>${sentence(job.message || 'paused')}</b> <span class="soft">It holds no threads and no memory.</span>`;
    case 'succeeded': return 'The table is complete and visible.';
    case 'succeeded_with_rejects': return 'The table is visible; some records are not in it.';
    case 'failed': return 'The table is as it was before.';
    case 'cancelled': return 'What it did was undone.';
    default: return '\u00a0';
  }
}
