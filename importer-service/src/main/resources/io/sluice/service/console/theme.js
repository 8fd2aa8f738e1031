// Light or dark, before anything is drawn: what was chosen here before, else what the system says. A plain script,
// because modules run too late and the page would flash.
'use strict';
(() => {
  try {
    const chosen = localStorage.getItem('sluice.theme');
    if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
  } catch (e) { /* storage may be forbidden; then the system's choice holds */ }
})();
