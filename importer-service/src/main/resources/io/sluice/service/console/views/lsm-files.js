// The files of the tree at the event that is shown, as a table: what the drawing says, in words.

import { html, useState } from '../lib/ui.js';
import { bytes, number } from '../lib/format.js';
import { BORN, BYTES, ENTRIES, FROM, LEVEL, NAME, ORIGIN, TO } from '../lsm/tree.js';

const MAX_LISTED = 500;

export function LsmFiles({ tree }) {
  const [open, setOpen] = useState(false);
  return html`<details onToggle=${event => setOpen(event.target.open)}><summary>The files at this event, as a table</summary>
    ${open && html`<div class="scroll panel table" tabindex="0" role="group" aria-label="Files"><table class="dense">
      <caption class="unseen">Files at event ${number(tree.at + 1)}</caption>
      <thead><tr><th scope="col">File</th><th scope="col" class="n">Level</th><th scope="col">First key</th><th scope="col">Last key</th><th scope="col" class="n">Bytes</th><th scope="col" class="n">Entries</th><th scope="col">Came by</th></tr></thead>
      <tbody>${rows(tree)}</tbody></table></div>`}
  </details>`;
}

function rows(tree) {
  const files = [...tree.live].sort((x, y) => tree.files[x][LEVEL] - tree.files[y][LEVEL] || tree.files[x][FROM] - tree.files[y][FROM]);
  return [
    ...files.slice(0, MAX_LISTED).map(file => {
      const f = tree.files[file];
      return html`<tr key=${file}><th scope="row">${f[NAME]}</th><td class="n">${f[LEVEL]}</td><td class="mono">${tree.keys[f[FROM]]}</td><td class="mono">${tree.keys[f[TO]]}</td>
        <td class="n">${bytes(f[BYTES])}</td><td class="n">${f[ENTRIES] < 0 ? '–' : number(f[ENTRIES])}</td><td>${f[ORIGIN]}, event ${number(f[BORN])}</td></tr>`;
    }),
    files.length > MAX_LISTED && html`<tr key="more"><td colspan="7">and ${number(files.length - MAX_LISTED)} more</td></tr>`,
  ];
}
