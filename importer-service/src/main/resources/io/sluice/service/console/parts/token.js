// Asks for the bearer token when the service wants one. All requests wait for one answer.

import { html, useEffect, useRef, useState } from '../lib/ui.js';
import { onTokenWanted } from '../lib/api.js';
import { Dialog } from './dialog.js';

export function TokenPrompt() {
  const [asking, setAsking] = useState(null);
  const field = useRef(null);
  useEffect(() => onTokenWanted(refused => new Promise(resolve => setAsking({ refused, resolve }))), []);
  if (!asking) return null;
  const answer = event => {
    event.preventDefault();
    const token = field.current.value.trim();
    if (!token) return;
    setAsking(null);
    asking.resolve(token);
  };
  return html`<${Dialog} label="Token" closable=${false}>
    <form onSubmit=${answer}>
      <h2>This service wants a token</h2>
      <p class="soft">It is sent with every request and kept in this tab only.</p>
      ${asking.refused && html`<p class="field-error" id="token-error">The service refused the last one.</p>`}
      <label class="field">Token<input ref=${field} type="password" autocomplete="current-password" required autofocus
        aria-describedby=${asking.refused ? 'token-error' : undefined} aria-invalid=${asking.refused ? 'true' : undefined} /></label>
      <div class="buttons end"><button class="primary" type="submit">Sign in</button></div>
    </form>
  </${Dialog}>`;
}
