// Rows of a table as text, with names and types of columns. NULL differs from the text "NULL" by its look.

import { html } from '../lib/ui.js';

export function RowTable({ label, columns, rows }) {
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${label}><table class="dense values">
    <caption class="unseen">${label}</caption>
    <thead><tr>${columns.map(column => html`<th scope="col" key=${column.name}>${column.name} <span class="type">${column.type}</span></th>`)}</tr></thead>
    <tbody>${rows.map((row, i) => html`<tr key=${i}>${row.map((value, j) => html`<td key=${j}>${value === null ? html`<span class="null">NULL</span>` : html`<code>${value}</code>`}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}
