// What the table should hold and what it holds: per index a strip over its keys, details of the stretch pointed at or
// walked to, and the same as a table.

import { html, useState } from '../lib/ui.js';
import { get, importPath } from '../lib/api.js';
import { useLoaded } from '../lib/hooks.js';
import { keyText, useTable } from '../lib/keys.js';
import { bytes, number, plural } from '../lib/format.js';
import { Problem } from '../parts/values.js';
import { SpanStrip } from '../parts/strip.js';

const MAX_LISTED = 500;
const WORDS = { ok: 'agrees', missing: 'KVs missing', extra: 'KVs too many', damaged: 'damaged' };

export function VerificationTab({ job, live }) {
  // It comes with a phase, or with the end.
  const { data, error, reload } = useLoaded(signal => get(importPath(job.jobId, '/verification'), {}, signal), [job.jobId, job.state, job.phase]);
  const table = useTable(job.table, [job.state]);
  if (error && !data) {
    return error.status === 404
      ? html`<p class="panel nothing">${live ? 'Verification comes when everything is in the tree; its result appears here.' : 'This import was not verified.'}</p>`
      : html`<${Problem} error=${error} onRetry=${reload} />`;
  }
  if (!data) return html`<div class="panel placeholder tall"></div>`;
  const indexes = data.indexes.map(index => ({ ...index, buckets: index.buckets.map(bucket => ({ ...bucket, from: keyText(bucket.from, table), to: keyText(bucket.to, table) })) }));
  return html`
    <div class=${`note ${data.state === 'failed' ? 'bad' : 'good'}`}><p class="lines">${data.message || (data.state === 'ok' ? 'What arrived is what was sent: count, bytes and checksums of all indexes agree.' : 'What arrived is not what was sent.')}</p></div>
    <ul class="legend" aria-label="Patterns">${Object.entries(WORDS).map(([state, word]) => html`<li key=${state}><i class=${`swatch span ${state}`}></i>${word}</li>`)}</ul>
    ${indexes.map(index => html`<${Index} key=${index.index} index=${index} />`)}`;
}

function Index({ index }) {
  const { buckets } = index;
  const wrong = buckets.filter(bucket => bucket.state !== 'ok');
  const agrees = index.expected.count === index.found.count && index.expected.bytes === index.found.bytes && index.expected.digest === index.found.digest;
  const [selected, select] = useState(() => Math.max(0, buckets.findIndex(bucket => bucket.state !== 'ok')));
  return html`<section class="panel index" aria-label=${`Index ${index.index}`}>
    <h2>${index.index} <span class="soft">${plural(index.expected.count, 'KV')} expected, ${number(index.found.count)} found, ${bytes(index.found.bytes)}; ${wrong.length ? `${plural(wrong.length, 'stretch', 'stretches')} of ${number(buckets.length)} differ` : agrees ? 'all agree' : 'sums differ'}</span></h2>
    ${buckets.length > 0 && html`<${SpanStrip} label=${`Keys of ${index.index}`} spans=${buckets} selected=${selected} onSelect=${select} describe=${describe} />
    <${Details} bucket=${buckets[selected]} />
    <details><summary>As a table${wrong.length ? ', those that differ first' : ''}</summary><${Listing} index=${index} /></details>`}
  </section>`;
}

const span = bucket => `${bucket.from || 'first key'} … ${bucket.to || 'last key'}`;
const counts = ({ expected, found }) => (expected && found ? `${number(expected.count)} expected, ${number(found.count)} found` : '');
const describe = bucket => `${span(bucket)}: ${WORDS[bucket.state] || bucket.state}${counts(bucket) ? `, ${counts(bucket)}` : ''}`;

/** Always as tall as two lines at least, so that the strip above does not push what is below. */
function Details({ bucket }) {
  if (!bucket) return null;
  return html`<div class="span-details">
    <div><i class=${`swatch span ${bucket.state}`}></i><b>${WORDS[bucket.state] || bucket.state}</b> <code class="wrap">${span(bucket)}</code></div>
    <div class="soft">${bucket.expected && bucket.found ? html`${counts(bucket)} KVs; ${bytes(bucket.expected.bytes)} expected, ${bytes(bucket.found.bytes)} found${bucket.expected.digest && bucket.found.digest && bucket.expected.digest !== bucket.found.digest ? html`; checksums <code>${bucket.expected.digest}</code> and <code>${bucket.found.digest}</code>` : ''}` : '\u00a0'}</div>
    ${bucket.files?.length > 0 && html`<div>Rows of it came from ${bucket.files.map((file, i) => html`${i ? ', ' : ''}<code class="wrap">${file}</code>`)}</div>`}
  </div>`;
}

function Listing({ index }) {
  const order = index.buckets.map((bucket, i) => [bucket, i]).sort(([x, i], [y, j]) => (x.state === 'ok') - (y.state === 'ok') || i - j);
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${`Stretches of ${index.index}`}><table class="dense">
    <caption class="unseen">Stretches of keys of ${index.index}</caption>
    <thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col">State</th><th scope="col" class="n">KVs expected</th><th scope="col" class="n">found</th><th scope="col" class="n">Bytes expected</th><th scope="col" class="n">found</th><th scope="col">Inputs</th></tr></thead>
    <tbody>${order.slice(0, MAX_LISTED).map(([bucket, i]) => html`<tr key=${i}><td class="mono">${bucket.from || '–'}</td><td class="mono">${bucket.to || '–'}</td><td>${WORDS[bucket.state] || bucket.state}</td>
      <td class="n">${number(bucket.expected?.count)}</td><td class="n">${number(bucket.found?.count)}</td><td class="n">${number(bucket.expected?.bytes)}</td><td class="n">${number(bucket.found?.bytes)}</td><td>${(bucket.files || []).join(', ')}</td></tr>`)}
      ${order.length > MAX_LISTED && html`<tr><td colspan="8">and ${number(order.length - MAX_LISTED)} more that agree</td></tr>`}</tbody>
  </table></div>`;
}
