// How busy the service is, at the top of every view: slots, queue, memory, and its nodes behind a button.

import { html, useEffect } from '../lib/ui.js';
import { get, signOut, signedIn } from '../lib/api.js';
import { useInterval, useLoaded } from '../lib/hooks.js';
import { bytes, number, plural } from '../lib/format.js';
import { limiterName } from '../lib/states.js';

const AGAIN_MILLIS = 5000;

export function ServiceBar() {
  const { data: service, error, reload } = useLoaded(signal => get('v1/service', {}, signal), []);
  useInterval(reload, AGAIN_MILLIS);
  // Style sheets hide what the role of the token does not allow.
  useEffect(() => { if (service) document.documentElement.dataset.role = service.role; }, [service?.role]);
  if (error && !service) return html`<div class="service"><span class="live waiting"><i aria-hidden="true"></i>${error.status ? error.message : 'No answer from the service'}</span></div>`;
  if (!service) return html`<div class="service"></div>`;
  const nodes = service.nodes || [];
  return html`<details class="service">
    <summary>
      ${error && html`<span class="live waiting"><i aria-hidden="true"></i>No answer</span>`}
      <span><b>${number(service.running)}</b>/${number(service.slots)} slots</span>
      <span class="wide"><b>${number(service.pending)}</b> pending</span>
      ${nodes.length > 0 && html`<span class="wide"><b>${nodes.length}</b> ${nodes.length === 1 ? 'node' : 'nodes'}</span>`}
    </summary>
    <div class="panel drop">
      <dl class="pairs">
        <dt>Version</dt><dd>${service.version}</dd>
        ${service.token && html`<dt>Token</dt><dd>${service.token}, which may ${service.role}</dd>`}
        <dt>Queue</dt><dd>${number(service.pending)} of at most ${number(service.queueLimit)}</dd>
        <dt>Memory of all imports</dt><dd>${bytes(service.memoryBytes)}</dd>
        <dt>Files from</dt><dd>${service.roots.length ? service.roots.map(root => html`<code class="block" key=${root}>${root}</code>`) : 'nowhere'}</dd>
      </dl>
      ${nodes.length > 0 && html`<div class="scroll"><table class="dense">
        <caption class="unseen">${plural(nodes.length, 'node')}</caption>
        <thead><tr><th scope="col">Node</th><th scope="col" class="n">Height</th><th scope="col" class="n">Files</th><th scope="col" class="n">Disk free</th><th scope="col">Limiter</th></tr></thead>
        <tbody>${nodes.map(node => html`<tr key=${node.id}><th scope="row">${node.id}</th><td class="n">${number(node.height)}</td><td class="n">${number(node.files)}</td><td class="n">${bytes(node.diskFreeBytes)}</td><td>${node.limiter ? limiterName(node.limiter) : '–'}</td></tr>`)}</tbody>
      </table></div>`}
      ${signedIn() && html`<div class="buttons"><button type="button" onClick=${() => { signOut(); location.reload(); }}>Forget the token</button></div>`}
    </div>
  </details>`;
}
