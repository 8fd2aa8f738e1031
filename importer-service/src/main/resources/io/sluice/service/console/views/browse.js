// A browser of the directories that imports may read: a dialog that answers with a file, or a glob for a directory.

import { html, useState } from '../lib/ui.js';
import { get } from '../lib/api.js';
import { useLoaded } from '../lib/hooks.js';
import { bytes } from '../lib/format.js';
import { Dialog } from '../parts/dialog.js';
import { Problem, Time } from '../parts/values.js';

export function Browse({ onTake, onClose }) {
  const [path, setPath] = useState('');
  const { data, error, fresh, reload } = useLoaded(signal => get('v1/files', { path }, signal), [path]);
  const entries = data?.entries || [];
  const up = data?.parent ?? '';
  return html`<${Dialog} label="Choose inputs" wide onClose=${onClose}>
    <h2>Choose inputs</h2>
    <p class="mono wrap">${data?.path || 'All that this service may read'}</p>
    ${error && html`<${Problem} error=${error} onRetry=${reload} />`}
    <div class=${`scroll browse ${fresh ? '' : 'stale'}`} tabindex="0" role="group" aria-label="Entries"><table class="dense">
      <caption class="unseen">Directories and files</caption>
      <thead><tr><th scope="col">Name</th><th scope="col" class="n">Size</th><th scope="col" class="n">Changed</th></tr></thead>
      <tbody>
        ${data?.path && html`<tr key=".."><th scope="row"><button type="button" class="link" onClick=${() => setPath(up)}>↑ ${data.parent ? 'up' : 'all roots'}</button></th><td></td><td></td></tr>`}
        ${entries.map(entry => html`<tr key=${entry.path}>
          <th scope="row"><button type="button" class="link" onClick=${() => (entry.kind === 'directory' ? setPath(entry.path) : onTake(entry.path))}>${entry.name}${entry.kind === 'directory' ? '/' : ''}</button></th>
          <td class="n">${entry.kind === 'file' ? bytes(entry.bytes) : ''}</td><td class="n">${entry.modifiedAt ? html`<${Time} at=${entry.modifiedAt} />` : ''}</td></tr>`)}
        ${data && !entries.length && html`<tr><td colspan="3" class="soft">${data.path ? 'Nothing in it can be imported.' : 'The service was started without --allow-root.'}</td></tr>`}
      </tbody>
    </table></div>
    ${data?.more && html`<p class="soft small">There are more; name them by a glob, such as <code>${`${data.path}/*.csv`}</code>.</p>`}
    <div class="buttons end bottom">
      ${data?.path && entries.some(entry => entry.kind === 'file') && html`<button type="button" onClick=${() => onTake(`${data.path}/*`)}>All files of this directory</button>`}
      <button type="button" autofocus onClick=${onClose}>Close</button>
    </div>
  </${Dialog}>`;
}
