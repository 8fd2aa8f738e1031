// The nodes that jobs import into, as each answers now: name, address, role, load, disk.

import { html, useEffect } from '../lib/ui.js';
import { get } from '../lib/api.js';
import { useInterval, useLoaded } from '../lib/hooks.js';
import { limiterName } from '../lib/states.js';
import { bytes, number, plural } from '../lib/format.js';
import { Problem } from '../parts/values.js';

const AGAIN_MILLIS = 3000;
const ROLES = { leader: 'leader', member: 'member', learner: 'member without a vote', alone: 'in no cluster', embedded: 'in this process' };

export function NodesView() {
  const { data: nodes, error, reload } = useLoaded(signal => get('v1/nodes', {}, signal), []);
  useInterval(reload, AGAIN_MILLIS);
  useEffect(() => { document.title = 'Nodes – Sluice'; }, []);
  return html`
    <div class="title"><h1 tabindex="-1">Nodes</h1></div>
    ${error && !nodes && html`<${Problem} error=${error} onRetry=${reload} />`}
    ${!nodes && !error && html`<div class="panel placeholder tall" aria-busy="true"></div>`}
    ${nodes && html`<div class="nodes">${nodes.map(node => html`<${Node} key=${node.address || node.name} node=${node} />`)}</div>
      <p class="soft small">${plural(nodes.length, 'node')}, asked every ${AGAIN_MILLIS / 1000} seconds. Height is the most SSTs above each other at any key; owed is what compactions still have to write.</p>`}`;
}

function Node({ node }) {
  const up = node.problem === undefined;
  return html`<section class="panel node" aria-label=${`Node ${node.name}`}>
    <h2>${node.name} <span class="soft">${ROLES[node.role] || node.role}</span> <span class=${`badge ${up ? 'good' : 'bad'}`}>${up ? 'Up' : 'Down'}</span></h2>
    ${!up && html`<div class="note bad"><p class="lines">${node.problem}</p></div>`}
    <dl class="pairs">
      ${node.address && html`<dt>Address</dt><dd class="mono">${node.address}</dd>`}
      ${up && html`<dt>Id</dt><dd class="mono">${node.id}</dd>
      <dt>Version</dt><dd>${node.version}</dd>
      <dt>Disk free</dt><dd>${bytes(node.diskFreeBytes)}</dd>
      <dt>Files</dt><dd>${number(node.files)}, at most ${number(node.height)} above each other</dd>
      <dt>Owed, staged</dt><dd>${bytes(node.owedBytes)}, ${bytes(node.stagedBytes)}</dd>
      <dt>Limiter</dt><dd>${node.limiter ? limiterName(node.limiter) : 'none'}</dd>`}
    </dl>
  </section>`;
}
