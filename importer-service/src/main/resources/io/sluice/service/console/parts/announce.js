// What is said without being asked for: to screen readers politely, and on request to everybody as a line that goes by itself.

import { html, useEffect, useState } from '../lib/ui.js';

const SHOWN_MILLIS = 7000;
let listener = () => {};

/** Says a text. Shown ones appear at the lower edge as well; `bad` ones stay until they are dismissed. */
export function announce(text, { shown = false, bad = false } = {}) { listener({ text, shown, bad }); }

export function Announcer() {
  const [last, setLast] = useState(null);
  useEffect(() => { listener = setLast; return () => { listener = () => {}; }; }, []);
  useEffect(() => {
    if (!last?.shown || last.bad) return undefined;
    const timer = setTimeout(() => setLast(null), SHOWN_MILLIS);
    return () => clearTimeout(timer);
  }, [last]);
  return html`
    <div class="unseen" aria-live="polite" role="status">${last && !last.bad ? last.text : ''}</div>
    ${last?.shown && html`<div class=${`toast ${last.bad ? 'bad' : ''}`} role=${last.bad ? 'alert' : undefined}>
      <span>${last.text}</span><button type="button" class="plain" aria-label="Dismiss" onClick=${() => setLast(null)}>×</button>
    </div>`}`;
}
