// Small pieces that show one value each: a time, a progress bar, labels, a figure with its name.

import { html } from '../lib/ui.js';
import { localTime, percent, plural, utcTime } from '../lib/format.js';

/** A moment in the reader's zone; pointing at it tells UTC. */
export function Time({ at }) {
  return at ? html`<time datetime=${at} title=${utcTime(at)}>${localTime(at)}</time>` : html`<span class="soft">–</span>`;
}

/** A bar from 0 to 1. `look` is a state's: a bar that does not move is grey. */
export function Bar({ fraction, look = 'active', label }) {
  const text = percent(fraction);
  return html`<div class=${`bar ${look}`} role="progressbar" aria-label=${label} aria-valuemin="0" aria-valuemax="100"
    aria-valuenow=${Math.floor(fraction * 1000) / 10} aria-valuetext=${text}><div style=${{ width: `${fraction * 100}%` }}></div></div>`;
}

/** name=value, each a link to all imports that have it. */
export function Labels({ labels, hrefOf }) {
  const all = Object.entries(labels || {});
  if (!all.length) return null;
  return html`<span class="labels">${all.map(([name, value]) => html`<a class="label" key=${name} href=${hrefOf(name, value)}>${name}=${value}</a>`)}</span>`;
}

/** A name and its value, for lists of figures (<dl class="figures">). */
export function Figure({ name, children, note }) {
  return html`<div><dt>${name}</dt><dd>${children}</dd>${note !== undefined && html`<dd class="soft small">${note || '\u00a0'}</dd>`}</div>`;
}

/** What could not be done, and what to do about it. */
export function Problem({ error, onRetry }) {
  const problem = error.problem || {};
  return html`<div class="note bad" role="alert">
    <p><b>${problem.title || 'That did not work'}</b></p>
    <p class="lines">${error.message}</p>
    ${(problem.errors || []).length > 0 && html`<ul>${problem.errors.map(each => html`<li>${each.field && html`<code>${each.field}</code>${' '}`}${each.message}</li>`)}</ul>`}
    ${problem.requestId && html`<p class="soft small">Request ${problem.requestId}</p>`}
    ${onRetry && html`<div class="buttons"><button type="button" onClick=${onRetry}>Try again</button></div>`}
  </div>`;
}

/** One step forth and back through pages, and where one is. `unit` names one of what is on them, or nothing. */
export function Pager({ first, count, total, onOlder, onNewer, newer = 'Previous', older = 'Next', unit = '' }) {
  if (!onOlder && !onNewer) return html`<div class="pager"><span class="soft">${unit && (total ?? count) !== undefined ? plural(total ?? count, unit) : ''}</span></div>`;
  return html`<nav class="pager" aria-label="Pages">
    <button type="button" disabled=${!onNewer} onClick=${onNewer}>${newer}</button>
    <span class="soft">${count ? `${first.toLocaleString('en')}–${(first + count - 1).toLocaleString('en')}` : '–'}${total !== undefined ? ` of ${plural(total, unit)}` : ''}</span>
    <button type="button" disabled=${!onOlder} onClick=${onOlder}>${older}</button>
  </nav>`;
}

/** Whether what is seen is live. The place is kept, so nothing moves when it changes. */
export function Live({ connection }) {
  const [look, text] = {
    live: ['on', 'Live'],
    connecting: ['waiting', 'Connecting'],
    waiting: ['waiting', 'Reconnecting'],
    refused: ['waiting', 'Not live'],
    ended: ['final', 'Final'],
  }[connection] || ['waiting', 'Connecting'];
  return html`<span class=${`live ${look}`}><i aria-hidden="true"></i>${text}</span>`;
}
