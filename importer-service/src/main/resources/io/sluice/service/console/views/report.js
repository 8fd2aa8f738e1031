// What a finished import reports, and its request. Members that this page does not know are shown as they are.

import { html } from '../lib/ui.js';
import { href } from '../lib/router.js';
import { bytes, duration, number } from '../lib/format.js';

const plain = value => String(value);
const ratio = value => value.toFixed(2);
/** Short times with all their digits, so that they add up as they are shown. */
const exact = seconds => (seconds < 10 ? `${seconds.toFixed(3)} s` : duration(seconds));
const MEMBERS = {
  table: ['Table', plain], mode: ['Mode', plain], modeWhy: ['Why this mode', plain], rowsRead: ['Rows read', number], rowsImported: ['Rows imported', number],
  rowsRejected: ['Rows rejected', number], duplicates: ['Duplicates', number], conflicts: ['Keys in conflict', number], rowsDropped: ['Rows that lost', number],
  rowsReplaced: ['Rows replaced', number], bytesRead: ['Bytes read', bytes], bytesReadBefore: ['Of these, by earlier attempts', bytes], ssts: ['SSTs', number], puts: ['KVs put', number], maxHeight: ['Greatest height', number],
  l0Files: ['Files in level 0', number], writeAmplification: ['Write amplification', ratio], spilledBytes: ['Spilled', bytes], peakBufferBytes: ['Most memory in buffers', bytes],
  rejected: ['Rejects by reason', ({ byReason }) => Object.entries(byReason).map(([code, count]) => `${code} ${number(count)}`).join(', ') || 'none'],
  warnings: ['Warnings', texts => texts.join(' ')], verified: ['Verified', value => (value ? 'yes' : 'no')], digest: ['Digest', plain], limiter: ['Limiter', plain],
};
const HIDDEN = new Set(['state', 'kvs', 'seconds', 'stages']);

export function ReportTab({ job }) {
  const report = job.report;
  if (!report) return html`<p class="panel nothing">${['succeeded', 'succeeded_with_rejects'].includes(job.state) ? 'This import left no report.' : 'An import that succeeded has a report.'}</p>`;
  const known = Object.keys(MEMBERS).filter(name => report[name] !== undefined && report[name] !== null && report[name].length !== 0);
  const others = Object.keys(report).filter(name => !MEMBERS[name] && !HIDDEN.has(name) && report[name] !== null);
  return html`<div class="columns">
    <section class="panel"><h2>Result</h2><dl class="pairs">
      ${known.map(name => html`<dt>${MEMBERS[name][0]}</dt><dd class=${name === 'digest' ? 'mono' : ''}>${show(MEMBERS[name][1], report[name])}</dd>`)}
      ${others.map(name => html`<dt><code>${name}</code></dt><dd>${typeof report[name] === 'object' ? html`<code>${JSON.stringify(report[name])}</code>` : String(report[name])}</dd>`)}
    </dl></section>
    ${report.seconds && html`<section class="panel"><h2>Time by step</h2><${Shares} values=${report.seconds} total=${report.seconds.total} text=${exact} /></section>`}
    ${report.stages && html`<section class="panel"><h2>Workers’ time by stage</h2><${Shares} values=${report.stages} text=${duration} /></section>`}
    ${report.kvs && html`<section class="panel"><h2>KVs by index</h2><${Shares} values=${report.kvs} text=${number} /></section>`}
  </div>`;
}

/** A value in its form; in what form it is, if it has another type than expected. */
function show(text, value) {
  try { return text(value); } catch (e) { return JSON.stringify(value); }
}

/** Parts of a whole as bars, each with its figure. */
function Shares({ values, total, text }) {
  const parts = Object.entries(values).filter(([name]) => name !== 'total');
  const whole = total ?? parts.reduce((sum, [, value]) => sum + value, 0);
  return html`<table class="shares"><tbody>
    ${parts.map(([name, value]) => html`<tr key=${name}><th scope="row">${name}</th><td class="of" aria-hidden="true"><i style=${{ width: `${whole ? 100 * value / whole : 0}%` }}></i></td><td class="n">${text(value)}</td></tr>`)}
    ${total !== undefined && html`<tr class="sum"><th scope="row">total</th><td></td><td class="n">${text(total)}</td></tr>`}
  </tbody></table>`;
}

export function RequestTab({ job }) {
  const { schema, inputs, bundle, set, ...options } = job.spec;
  return html`<div class="columns">
    <section class="panel"><h2>Schema</h2><pre tabindex="0"><code>${schema}</code></pre></section>
    <section class="panel"><h2>Inputs</h2><pre tabindex="0"><code>${(inputs || [bundle || set]).join('\n')}</code></pre>
      <h2>Options</h2><pre tabindex="0"><code>${JSON.stringify(options, null, 2)}</code></pre>
      <p><a href=${href(['new'], { from: job.jobId })}>Duplicate</a></p></section>
  </div>`;
}
