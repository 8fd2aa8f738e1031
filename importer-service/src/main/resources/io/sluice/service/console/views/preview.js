// The first records of the inputs as the table would have them: asked for as one types, and what stands against a start.

import { html, useEffect, useRef, useState } from '../lib/ui.js';
import { send } from '../lib/api.js';
import { bytes, number, plural } from '../lib/format.js';
import { textsOf } from './create-fields.js';
import { RowTable } from '../parts/rows.js';
import { PlacedRecord } from './records.js';

const TYPING_MILLIS = 700;
const MAX_SHOWN_REJECTS = 5;
/** Members of a CSV format that a preview has if the file suggests others than the request. */
const FOUND = ['decimal', 'thousands', 'quote', 'escape', 'comment', 'nullif', 'skip', 'columns'];

/** What the service previews of a request: { preview, error, loading, of }, where `of` is the request it is about. */
export function usePreview(request) {
  const [state, setState] = useState({});
  const wanted = JSON.stringify(request);
  const inputs = request.inputs?.length > 0;
  const stop = useRef(null);
  useEffect(() => {
    stop.current?.abort();
    if (!inputs) { setState({}); return undefined; }
    const mine = stop.current = new AbortController();
    const timer = setTimeout(async () => {
      setState(old => ({ ...old, loading: true }));
      try {
        const response = await send('v1/preview', { method: 'POST', body: request, signal: mine.signal });
        const preview = await response.json();
        if (!mine.signal.aborted) setState({ preview, of: wanted });
      } catch (error) {
        if (!mine.signal.aborted) setState({ error, of: wanted });
      }
    }, TYPING_MILLIS);
    return () => { clearTimeout(timer); mine.abort(); };
  }, [wanted]);
  return { ...state, fresh: state.of === wanted };
}

/** Why an import of this preview cannot be started; null if it can, or nothing is known. */
export const obstacle = ({ preview }) => preview?.problem ?? null;

/** `onTake` gets members of the request to set, by their pointers. */
export function Preview({ state, onTake }) {
  const { preview, error, loading, fresh } = state;
  if (error && !preview) return html`<section class="panel" aria-label="Preview"><h2>Preview</h2><div class="note bad" role="alert"><p class="lines">${error.message}</p></div></section>`;
  if (!preview) return loading ? html`<section class="panel placeholder" aria-label="Preview" aria-busy="true"><h2>Preview</h2></section>` : null;
  const { good, bad, inputs, inputCount, format } = preview;
  const size = inputs.length === inputCount && inputs.every(input => input.bytes !== undefined) ? `, ${bytes(inputs.reduce((sum, input) => sum + input.bytes, 0))}` : '';
  return html`<section class=${`panel preview ${fresh ? '' : 'stale'}`} aria-label="Preview" aria-busy=${loading ? 'true' : 'false'}>
    <h2>Preview <span class="soft">${plural(inputCount, 'input')}${size}; ${preview.input}</span></h2>
    ${preview.problem && html`<div class="note bad" role="alert">
      <p><b>This import cannot be started.</b></p><p class="lines">${preview.problem}</p>
      ${found(preview, onTake)}</div>`}
    ${!preview.problem && bad > 0 && html`<div class="note"><p>${number(bad)} of the first ${number(good + bad)} records are no rows of ${preview.table}. The import fails unless “Bad records allowed” covers them.</p></div>`}
    ${preview.rejects.length > 0 && html`<h3>Bad records</h3>${preview.rejects.slice(0, MAX_SHOWN_REJECTS).map((reject, i) => html`<div key=${i}><${PlacedRecord} record=${{ file: inputs[0].name, ...reject }} /><p class="why soft">${reject.message}</p></div>`)}`}
    ${preview.inferred && html`<details open><summary>Proposed schema</summary><pre tabindex="0"><code>${preview.schema}</code></pre>
      <div class="buttons"><button type="button" onClick=${() => onTake({ '/schema': preview.schema, ...csvOf(format) })}>Take this schema</button></div>
      <p class="hint">Types come from the first records. Add a PRIMARY KEY; without one rows are numbered.</p></details>`}
    ${preview.rows.length > 0 && html`<h3>First rows of ${preview.table}</h3><${RowTable} label=${`First rows of ${preview.table}`} columns=${preview.columns} rows=${preview.rows} />`}
  </section>`;
}

/** What was found in a CSV file, as members of a request. */
function csvOf(format) {
  if (format.delimiter === undefined) return {};
  const members = ['delimiter', 'header', ...FOUND].filter(name => format[name] !== undefined);
  return textsOf({ format: Object.fromEntries(members.map(name => [name, format[name]])) });
}

/** A button that takes what was found in the file, if the request has something else. */
function found(preview, onTake) {
  const { format } = preview;
  if (format.delimiter === undefined || preview.inferred) return null;
  const numbers = format.decimal === undefined && format.thousands === undefined ? '' : `, numbers as 1${format.thousands ?? ''}234${format.decimal ?? '.'}5`;
  const others = FOUND.filter(name => format[name] !== undefined && !['decimal', 'thousands'].includes(name));
  const more = others.map(name => `, ${name} ${JSON.stringify(format[name])}`).join('');
  const words = `delimiter ${JSON.stringify(format.delimiter)}${numbers}${more}, ${format.header ? 'a header' : 'no header'}`;
  if (numbers === '' && more === '' && preview.input.includes(`delimiter '${format.delimiter}'`) && preview.input.includes('no header') !== format.header) return null;
  return html`<div class="buttons"><button type="button" onClick=${() => onTake(csvOf(format))}>Use what the file suggests: ${words}</button></div>`;
}
