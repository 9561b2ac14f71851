// Unpacks what this report holds as base64 of raw DEFLATE: styles, ECharts (its
// licences are at its beginning) and the viewer. They become inline styles and scripts,
// and the browser refuses those whose hash is not in the Content-Security-Policy.
// memviz.ready resolves when the viewer has painted its first picture.
{
  const page = /** @type {any} */ (window);
  const parsed = new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve));
  const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

  const inflate = (/** @type {string} */ name) => {
    const packed = atob(byId(`packed-${name}`).textContent ?? '');
    const bytes = new Uint8Array(packed.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = packed.charCodeAt(i);
    const stream = new DecompressionStream('deflate-raw');
    const writer = stream.writable.getWriter();
    // A failed write also fails the read, which reports it.
    writer.write(bytes).catch(() => {});
    writer.close().catch(() => {});
    return new Response(stream.readable).text();
  };

  /** @param {string} tag @param {string} text */
  const addToHead = (tag, text) => {
    const element = document.createElement(tag);
    element.textContent = text;
    document.head.append(element);
    return element;
  };

  /** @param {string} text */
  const applyStyles = (text) => {
    if (!(/** @type {HTMLStyleElement} */ (addToHead('style', text)).sheet)) {
      throw new Error('the browser refused its styles');
    }
  };

  /** Runs a script that defines a global variable. @param {string} text @param {string} name */
  const run = (text, name) => {
    addToHead('script', text).remove();
    if (!page[name]) throw new Error(`the browser refused to run the script of ${name}`);
  };

  /** Brings the summary back, with a sentence above it. @param {string} why */
  const keepSummary = (why) => {
    const notice = byId('notice');
    notice.textContent = `${why}. Below is the summary written with the file.`;
    notice.hidden = byId('summary').hidden = false;
    byId('viewer').hidden = true;
    document.documentElement.classList.remove('scripted');
  };

  const load = async () => {
    try {
      new DecompressionStream('deflate-raw');
    } catch (error) {
      keepSummary('This browser lacks DecompressionStream for deflate-raw, which the interactive timeline needs');
      throw error;
    }
    try {
      const [styles, echarts, viewer] = await Promise.all(['styles', 'echarts', 'viewer'].map(inflate));
      applyStyles(styles); // without them the picture would have no bounds
      run(echarts, 'echarts');
      await parsed; // the viewer reads what comes after this script
      run(viewer, 'memvizViewer');
      await page.memvizViewer.start();
    } catch (error) {
      keepSummary(`The interactive timeline could not start: ${error instanceof Error ? error.message : error}`);
      throw error;
    }
  };

  page.memviz = { ready: load() };
}
