// The switch between light, dark, and what the system says. theme.js has applied the choice before anything was drawn.

import { html, useState } from '../lib/ui.js';

const STORED = 'sluice.theme';
const CHOICES = [['', 'Auto'], ['light', 'Light'], ['dark', 'Dark']];

/** Sent to the window when colours changed, for what is drawn on canvases. */
export const THEME_CHANGED = 'sluice-theme';

export function ThemeSwitch() {
  const [theme, setTheme] = useState(document.documentElement.dataset.theme || '');
  const choose = event => {
    const chosen = event.target.value;
    setTheme(chosen);
    if (chosen) document.documentElement.dataset.theme = chosen; else delete document.documentElement.dataset.theme;
    try {
      if (chosen) localStorage.setItem(STORED, chosen); else localStorage.removeItem(STORED);
    } catch (e) { /* storage may be forbidden; then the choice lasts as long as the page */ }
    window.dispatchEvent(new Event(THEME_CHANGED));
  };
  return html`<label class="theme"><span class="unseen">Colours</span><select value=${theme} onChange=${choose}>
    ${CHOICES.map(([value, label]) => html`<option value=${value} selected=${value === theme}>${label}</option>`)}
  </select></label>`;
}

/** Calls back when colours changed, by the switch or by the system. Returns how to stop. */
export function onThemeChange(callback) {
  const system = matchMedia('(prefers-color-scheme: dark)');
  window.addEventListener(THEME_CHANGED, callback);
  system.addEventListener('change', callback);
  return () => {
    window.removeEventListener(THEME_CHANGED, callback);
    system.removeEventListener('change', callback);
  };
}

/** The colours of the style sheet that canvases draw with, by their names. */
export function readPalette(names) {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(names.map(name => [name, style.getPropertyValue('--' + name).trim()]));
}
