// The state of an import: a shape, a word and a colour, so that no one of them is needed.

import { html } from '../lib/ui.js';
import { STATES } from '../lib/states.js';

const SHAPES = {
  waiting: html`<circle cx="8" cy="8" r="5.2" class="line"/><path d="M8 5v3.2l2 1.6" class="line"/>`,
  active: html`<path d="M4 3.2 12.6 8 4 12.8z" class="full"/>`,
  paused: html`<rect x="4" y="3.5" width="3" height="9" class="full"/><rect x="9" y="3.5" width="3" height="9" class="full"/>`,
  good: html`<path d="m3.2 8.6 3.2 3.2 6.4-7" class="line thick"/>`,
  partly: html`<path d="M8 2.6 14 13H2z" class="line"/><path d="M8 6.4v3.4M8 11v.9" class="line"/>`,
  bad: html`<path d="m4 4 8 8m0-8-8 8" class="line thick"/>`,
  gone: html`<circle cx="8" cy="8" r="5.2" class="line"/><path d="m4.4 11.6 7.2-7.2" class="line"/>`,
};

export function Badge({ state }) {
  const { label, look } = STATES[state] || { label: state, look: 'waiting' };
  return html`<span class=${`badge ${look}`}><svg aria-hidden="true" viewBox="0 0 16 16" width="12" height="12">${SHAPES[look]}</svg>${label}</span>`;
}
