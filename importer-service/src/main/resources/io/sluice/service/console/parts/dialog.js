// A modal <dialog>: opened when it is drawn, closed when it goes. The browser keeps the focus inside and gives it back.

import { html, useEffect, useRef } from '../lib/ui.js';

export function Dialog({ label, closable = true, wide = false, onClose, children }) {
  const element = useRef(null);
  useEffect(() => {
    const dialog = element.current;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  const cancel = event => {
    event.preventDefault();
    if (closable) onClose?.();
  };
  return html`<dialog ref=${element} class=${wide ? 'wide' : undefined} aria-label=${label} onCancel=${cancel}>${children}</dialog>`;
}
