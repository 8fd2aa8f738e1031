// A bad record, with its place, its reason, and the value that is wrong marked in it.

import { html } from '../lib/ui.js';
import { baseName, number } from '../lib/format.js';

/** file:line:field, as editors take it; the byte where there are no lines. */
export function place(at, whole = false) {
  const name = at.file ? (whole ? at.file : baseName(at.file)) : 'input';
  const where = at.line !== undefined && at.line !== null ? `${at.line}${at.field ? `:${at.field}` : ''}` : at.byte !== undefined ? `@${at.byte}` : '';
  const more = whole && at.byte !== undefined ? `, byte ${number(at.byte)}` : '';
  return where ? `${name}:${where}${more}` : name + more;
}

/** The value that a message quotes at its end; null if it quotes none. */
const valueIn = message => /; the value is '(.*)'$/s.exec(message || '')?.[1].replace(/…$/, '') || null;

/** The text of a record with the value that its reason quotes marked, if it is there once or more. */
export function Excerpt({ record }) {
  const { excerpt, message } = record;
  if (!excerpt) return html`<span class="soft">–</span>`;
  const value = valueIn(message);
  const at = value ? find(excerpt, value) : -1;
  return at < 0 ? html`<code>${excerpt}</code>` : html`<code>${excerpt.slice(0, at)}<mark>${value}</mark>${excerpt.slice(at + value.length)}</code>`;
}

/** Where a value is as a whole field; else where it is at all. */
function find(text, value) {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const before = at === 0 || !/\w/.test(text[at - 1]);
    const after = at + value.length === text.length || !/\w/.test(text[at + value.length]);
    if (before && after) return at;
  }
  return text.indexOf(value);
}

export function PlacedRecord({ record }) {
  return html`<p class="placed"><span class="mono">${place(record)}</span> ${record.column ? html`column <b>${record.column}</b> ` : ''}<${Excerpt} record=${record} /></p>`;
}
