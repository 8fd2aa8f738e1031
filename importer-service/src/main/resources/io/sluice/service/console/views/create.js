// The form for a new import. It can be planned first, which reads the beginning of the inputs and makes nothing. What the
// service has against a value stands at its field.

import { html, useEffect, useRef, useState } from '../lib/ui.js';
import { freshKey, get, importPath, send } from '../lib/api.js';
import { go } from '../lib/router.js';
import { announce } from '../parts/announce.js';
import { Problem } from '../parts/values.js';
import { PARTS, fieldAt, requestOf, textsOf } from './create-fields.js';
import { Plan } from './plan.js';

export function CreateView({ from }) {
  const [texts, setTexts] = useState({});
  const [answer, setAnswer] = useState({});
  const [sending, setSending] = useState(null);
  const form = useRef(null);
  // The same request sent twice is one import, whatever happened to the first answer.
  const last = useRef({ body: '', key: '' });
  useEffect(() => { document.title = 'New import – Sluice'; }, []);
  useEffect(() => {
    if (!from) return undefined;
    const stop = new AbortController();
    get(importPath(from), {}, stop.signal).then(job => setTexts(textsOf(job.spec)), error => { if (!stop.signal.aborted) setAnswer({ error }); });
    return () => stop.abort();
  }, [from]);

  const submit = async dryRun => {
    if (!form.current.reportValidity()) return;
    setSending(dryRun ? 'plan' : 'create');
    const body = requestOf(texts);
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
  const part = each => html`<div class="form">${each.fields.map(field => html`<${Field} key=${field.pointer} field=${field} text=${texts[field.pointer] ?? ''} errors=${errors.get(field.pointer)} onInput=${set(field.pointer)} />`)}</div>`;

  return html`
    <div class="title"><h1 tabindex="-1">New import</h1></div>
    <form ref=${form} novalidate=${false} onSubmit=${event => { event.preventDefault(); submit(false); }}>
      ${PARTS.map(each => (each.open
        ? html`<section class="panel" key=${each.name} aria-label=${each.name}>${part(each)}</section>`
        : html`<details class="panel fold" key=${each.name}><summary>${each.name}</summary>${part(each)}</details>`))}
      ${answer.error && html`<${Problem} error=${problemWith(answer.error, others)} />`}
      ${answer.plan && html`<${Plan} plan=${answer.plan} />`}
      <div class="buttons end bottom">
        <button type="button" disabled=${sending !== null} onClick=${() => submit(true)}>${sending === 'plan' ? 'Planning…' : 'Plan'}</button>
        <button type="submit" class="primary" disabled=${sending !== null}>${sending === 'create' ? 'Creating…' : 'Create import'}</button>
      </div>
    </form>`;
}

/** The error, with what stands at no field only. */
const problemWith = (error, errors) => Object.assign(Object.create(error), { message: error.message, problem: { ...error.problem, errors } });

function Field({ field, text, errors, onInput }) {
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
    ${errors && html`<p class="field-error" id=${`${id}-error`}>${errors.join(' ')}</p>`}
    ${field.hint && html`<p class="hint" id=${`${id}-hint`}>${field.hint}</p>`}
  </div>`;
}
