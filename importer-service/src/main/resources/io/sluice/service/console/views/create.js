// The form for a new import. The first records are previewed as one types; what cannot be started cannot be sent. It can be
// planned, which reads more of the inputs and makes nothing. What the service has against a value stands at its field.

import { html, useEffect, useRef, useState } from '../lib/ui.js';
import { freshKey, get, importPath, send, tablePath } from '../lib/api.js';
import { go } from '../lib/router.js';
import { announce } from '../parts/announce.js';
import { Problem } from '../parts/values.js';
import { Browse } from './browse.js';
import { PARTS, fieldAt, requestOf, textsOf } from './create-fields.js';
import { Plan } from './plan.js';
import { Preview, obstacle, usePreview } from './preview.js';

/** `query` may name an import to copy, a table to append to, and values of fields by their pointers. */
export function CreateView({ query }) {
  const { from, table } = query;
  const [browsing, setBrowsing] = useState(false);
  const [texts, setTexts] = useState({});
  const [answer, setAnswer] = useState({});
  const [sending, setSending] = useState(null);
  const form = useRef(null);
  // The same request sent twice is one import, whatever happened to the first answer.
  const last = useRef({ body: '', key: '' });
  useEffect(() => { document.title = 'New import – Sluice'; }, []);
  useEffect(() => {
    const stop = new AbortController();
    const preset = texts => setTexts({ ...texts, ...Object.fromEntries(Object.entries(query).filter(([name]) => name.startsWith('/'))) });
    const refused = error => { if (!stop.signal.aborted) setAnswer({ error }); };
    if (from) get(importPath(from), {}, stop.signal).then(job => preset(textsOf(job.spec)), refused);
    else if (table) get(tablePath(table), {}, stop.signal).then(({ ddl }) => preset({ '/schema': ddl, '/append': 'true' }), refused);
    else preset({});
    return () => stop.abort();
  }, [from, table]);
  const request = requestOf(texts);
  const preview = usePreview({ ...request, jobId: undefined, labels: undefined });
  const blocked = obstacle(preview);
  const take = members => setTexts(old => ({ ...old, ...members }));
  const addInput = path => setTexts(old => ({ ...old, '/inputs': [...(old['/inputs'] || '').split('\n').filter(line => line.trim()), path].join('\n') }));

  const submit = async dryRun => {
    if (!form.current.reportValidity()) return;
    setSending(dryRun ? 'plan' : 'create');
    const body = request;
    const asText = JSON.stringify(body);
    if (last.current.body !== asText) last.current = { body: asText, key: freshKey() };
    try {
      const response = await send('v1/imports', { method: 'POST', body, query: dryRun ? { dryRun: true } : {}, headers: dryRun ? {} : { 'Idempotency-Key': last.current.key } });
      const result = await response.json();
      if (dryRun) {
        setAnswer({ plan: result });
        announce('The plan is there.');
      } else {
        announce(`Import ${result.jobId} is in the queue.`, { shown: true });
        go(['imports', result.jobId]);
        return;
      }
    } catch (error) {
      setAnswer({ error });
    }
    setSending(null);
  };

  const errors = new Map();
  const others = [];
  for (const each of answer.error?.problem?.errors || []) {
    const field = fieldAt(each.field);
    if (field) errors.set(field, [...(errors.get(field) || []), each.message]); else others.push(each);
  }
  useEffect(() => {
    if (!answer.error) return;
    // Parts that are folded open for what is wrong in them.
    for (const wrong of form.current.querySelectorAll('[aria-invalid="true"]')) wrong.closest('details')?.setAttribute('open', '');
    (form.current.querySelector('[aria-invalid="true"]') || form.current.querySelector('[role="alert"]'))?.focus();
  }, [answer]);
  const set = pointer => event => setTexts(old => ({ ...old, [pointer]: event.target.value }));
  const part = each => html`<div class="form">${each.fields.map(field => html`<${Field} key=${field.pointer} field=${field} text=${texts[field.pointer] ?? ''} errors=${errors.get(field.pointer)} onInput=${set(field.pointer)}>${field.pointer === '/inputs' && html`<div class="buttons"><button type="button" onClick=${() => setBrowsing(true)}>Browse…</button></div>`}</${Field}>`)}</div>`;

  return html`
    <div class="title"><h1 tabindex="-1">New import</h1></div>
    <form ref=${form} novalidate=${false} onSubmit=${event => { event.preventDefault(); submit(false); }}>
      ${PARTS.map(each => (each.open
        ? html`<section class="panel" key=${each.name} aria-label=${each.name}>${part(each)}</section>${each === PARTS[0] && html`<${Preview} key="preview" state=${preview} onTake=${take} />`}`
        : html`<details class="panel fold" key=${each.name}><summary>${each.name}</summary>${part(each)}</details>`))}
      ${browsing && html`<${Browse} onClose=${() => setBrowsing(false)} onTake=${path => { addInput(path); setBrowsing(false); }} />`}
      ${answer.error && html`<${Problem} error=${problemWith(answer.error, others)} />`}
      ${answer.plan && html`<${Plan} plan=${answer.plan} />`}
      <div class="buttons end bottom">
        ${blocked && html`<p class="field-error" id="blocked">The preview says why this cannot be started.</p>`}
        <button type="button" disabled=${sending !== null} onClick=${() => submit(true)}>${sending === 'plan' ? 'Planning…' : 'Plan'}</button>
        <button type="submit" class="primary" disabled=${sending !== null || blocked !== null} aria-describedby=${blocked ? 'blocked' : undefined}>${sending === 'create' ? 'Creating…' : 'Create import'}</button>
      </div>
    </form>`;
}

/** The error, with what stands at no field only. */
const problemWith = (error, errors) => Object.assign(Object.create(error), { message: error.message, problem: { ...error.problem, errors } });

function Field({ field, text, errors, onInput, children }) {
  const id = 'f' + field.pointer.replaceAll('/', '-');
  const described = [field.hint && `${id}-hint`, errors && `${id}-error`].filter(Boolean).join(' ') || undefined;
  const shared = { id, onInput, 'aria-describedby': described, 'aria-invalid': errors ? 'true' : undefined, required: field.required };
  const control = field.kind === 'choice'
    ? html`<select ...${shared}>${field.options.map(([value, label]) => html`<option value=${value} selected=${value === (text || field.options[0][0])}>${label}</option>`)}</select>`
    : field.kind === 'text'
    ? html`<textarea ...${shared} class=${field.mono ? 'mono' : ''} rows=${field.rows} value=${text} placeholder=${field.placeholder} spellcheck=${false}></textarea>`
    : html`<input ...${shared} type="text" class=${field.mono ? 'mono' : ''} value=${text} placeholder=${field.placeholder} spellcheck=${false} autocomplete="off" />`;
  return html`<div class=${`field ${field.wide ? 'wide' : ''} ${field.short ? 'narrow' : ''}`}>
    <label for=${id}>${field.label}${field.required && html` <span class="soft">(needed)</span>`}</label>
    ${control}
    ${children}
    ${errors && html`<p class="field-error" id=${`${id}-error`}>${errors.join(' ')}</p>`}
    ${field.hint && html`<p class="hint" id=${`${id}-hint`}>${field.hint}</p>`}
  </div>`;
}
