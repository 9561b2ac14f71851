// Runs in the head, before the first paint: the theme of the address, else the
// one chosen last, else the system's. It also tells styles whether the page is in a frame.
(() => {
  const root = document.documentElement;
  let theme = new URLSearchParams(location.hash.slice(1)).get('theme');
  try {
    theme ||= localStorage.getItem('memviz-theme');
  } catch {
    /* no storage here */
  }
  if (theme !== 'light' && theme !== 'dark')
    theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  root.dataset.theme = theme;
  root.classList.add('scripted');
  if (window !== window.parent) root.classList.add('framed');
})();
