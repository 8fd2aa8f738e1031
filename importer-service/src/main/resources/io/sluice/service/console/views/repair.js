// A bad record as fields that can be edited, and added to the table as a row, by an INSERT with the fields as parameters.
// The database judges the values; what it says stands below the fields.

import { html, useState } from '../lib/ui.js';
import { get, send, tablePath } from '../lib/api.js';
import { useLoaded } from '../lib/hooks.js';
import { announce } from '../parts/announce.js';

/** The fields of a CSV record with a plain dialect: doubled quotes, no escapes. */
export function fieldsOf(text, delimiter, quote) {
  const fields = [];
  let at = 0;
  for (;;) {
    let value = '';
    let quoted = false;
    if (quote && text[at] === quote) {
      quoted = true;
      for (at++; at < text.length; at++) {
        if (text[at] !== quote) value += text[at];
        else if (text[at + 1] === quote) { value += quote; at++; } else break;
      }
      at++;
    }
    const end = text.indexOf(delimiter, at);
    value += text.slice(at, end < 0 ? text.length : end);
    fields.push(value === '' && !quoted ? null : value);
    if (end < 0) return fields;
    at = end + delimiter.length;
  }
}

/** Why a job's records cannot be edited here; null if they can. */
export function whyNotEdited(job) {
  const format = job.spec.format || {};
  if (job.state !== 'succeeded_with_rejects') return 'Nothing was imported, so there is no table to add them to. Mend the request instead.';
  if (!['auto', 'csv', undefined].includes(format.type) || format.dialect || format.escape || format.header) return 'Records of this format are repaired in their bundle.';
  return null;
}

export function RepairForm({ job, record, onAdded }) {
  const { data: table, error } = useLoaded(signal => get(tablePath(job.table), {}, signal), [job.table]);
  const [edited, setEdited] = useState({});
  const [problem, setProblem] = useState(null);
  const [sent, setSent] = useState(false);
  if (error) return html`<p class="field-error" role="alert">${error.message}</p>`;
  if (!table) return html`<p class="soft">Loading…</p>`;
  const format = job.spec.format || {};
  const named = format.columns || table.table.def.columns.filter(column => !column.hidden).map(column => column.name);
  const read = fieldsOf(record.record, format.delimiter || ',', format.quote ?? '"');
  const value = (name, i) => (name in edited ? edited[name] : read[i] ?? null);
  const add = async event => {
    event.preventDefault();
    setSent(true);
    setProblem(null);
    const quoted = name => `"${name.replaceAll('"', '""')}"`;
    const statement = `INSERT INTO ${quoted(job.table)} (${named.map(quoted).join(', ')}) VALUES (${named.map(() => '?').join(', ')})`;
    try {
      const response = await send('v1/sql', { method: 'POST', body: { statements: [statement], parameters: [named.map(value)] } });
      const refused = (await response.json()).results.find(each => each.error)?.error;
      if (refused) {
        setProblem(refused.message);
        setSent(false);
      } else {
        announce(`A row was added to ${job.table}.`, { shown: true });
        onAdded();
      }
    } catch (e) {
      setProblem(e.message);
      setSent(false);
    }
  };
  const id = `r-${record.byte}`;
  return html`<form class="repair" onSubmit=${add} aria-label="Repair the record">
    <div class="form">${named.map((name, i) => html`<div class="field" key=${name}>
      <label for=${`${id}-${i}`}>${name}${value(name, i) === null ? html` <span class="soft">NULL</span>` : ''}</label>
      <input id=${`${id}-${i}`} class="mono" value=${value(name, i) ?? ''} spellcheck=${false} autocomplete="off" aria-invalid=${name === record.column && !(name in edited) ? 'true' : undefined}
        onInput=${event => setEdited({ ...edited, [name]: event.target.value === '' ? null : event.target.value })} /></div>`)}</div>
    ${read.length > named.length && html`<p class="hint">The record has ${read.length} fields; those after the first ${named.length} are left out.</p>`}
    ${problem && html`<p class="field-error" role="alert">${problem}</p>`}
    <div class="buttons"><button type="submit" class="primary" disabled=${sent}>Add to ${job.table}</button></div>
  </form>`;
}
