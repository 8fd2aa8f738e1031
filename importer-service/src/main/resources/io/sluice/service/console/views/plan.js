// What an import would do, as the service forecasts it from the beginning of the inputs.

import { html } from '../lib/ui.js';
import { bytes, number, plural } from '../lib/format.js';
import { Figure } from '../parts/values.js';

export function Plan({ plan }) {
  const { sample, indexes = [], modes = {} } = plan;
  return html`<section class="panel plan" aria-label="Plan">
    <h2>Plan <span class="soft">nothing has been made</span></h2>
    <p>Mode <b>${plan.mode}</b>: ${plan.modeWhy}.</p>
    <dl class="figures">
      <${Figure} name="Table">${plan.table}</${Figure}>
      <${Figure} name="Rows" note=${sample && !sample.whole ? 'from a sample' : ''}>${number(plan.rows)}</${Figure}>
      <${Figure} name="KVs of all indexes">${bytes(plan.bytes)}</${Figure}>
      ${plan.inputBytes !== undefined && html`<${Figure} name="Input">${bytes(plan.inputBytes)}</${Figure}>`}
      ${sample && html`<${Figure} name="Sample" note=${`${plural(sample.rejects, 'bad record')} in it`}>${bytes(sample.bytes)}</${Figure}>`}
    </dl>
    ${Object.keys(modes).length > 0 && html`<div class="scroll" tabindex="0" role="group" aria-label="Modes"><table class="dense">
      <caption class="unseen">What each mode would do</caption>
      <thead><tr><th scope="col">Mode</th><th scope="col" class="n">SSTs</th><th scope="col" class="n">Small (Puts)</th><th scope="col" class="n">Tallest</th><th scope="col" class="n">Local disk</th><th scope="col" class="n">Node disk</th></tr></thead>
      <tbody>${Object.entries(modes).map(([name, mode]) => html`<tr key=${name} class=${name === plan.mode ? 'chosen' : ''}><th scope="row">${name}${name === plan.mode ? ' (taken)' : ''}</th><td class="n">${number(mode.ssts)}</td><td class="n">${number(mode.smallSsts)}</td><td class="n">${number(mode.height)}</td><td class="n">${bytes(mode.localBytes)}</td><td class="n">${bytes(mode.nodeBytes)}</td></tr>`)}</tbody>
    </table></div>`}
    ${indexes.length > 0 && html`<div class="scroll" tabindex="0" role="group" aria-label="Indexes"><table class="dense">
      <caption class="unseen">Indexes</caption>
      <thead><tr><th scope="col">Index</th><th scope="col" class="n">KVs</th><th scope="col" class="n">Bytes</th><th scope="col">Order</th></tr></thead>
      <tbody>${indexes.map(index => html`<tr key=${index.index}><th scope="row">${index.index}</th><td class="n">${number(index.kvs)}</td><td class="n">${bytes(index.bytes)}</td><td>${index.ordered ? 'in order' : `${Math.round((index.overlap ?? 0) * 100)}% of buffers overlap`}</td></tr>`)}</tbody>
    </table></div>`}
  </section>`;
}
