// Runs the two scripts that stand above in this report, as base64 of raw DEFLATE: ECharts,
// whose licences stand at its beginning, and the viewer. Each becomes an inline script, and
// the browser refuses one whose hash is not in the Content-Security-Policy.
// memviz.ready resolves when the viewer has painted its first picture.
{
  const page = /** @type {any} */ (window);
  const parsed = new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve));
  const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

  const inflate = (/** @type {string} */ id) => {
    const packed = atob(byId(id).textContent ?? '');
    const bytes = new Uint8Array(packed.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = packed.charCodeAt(i);
    const stream = new DecompressionStream('deflate-raw');
    const writer = stream.writable.getWriter();
    // A failed write also fails the read, which reports it.
    writer.write(bytes).catch(() => {});
    writer.close().catch(() => {});
    return new Response(stream.readable).text();
  };

  /** Runs a script that defines a global variable. @param {string} text @param {string} name */
  const run = (text, name) => {
    const before = page[name];
    const script = document.createElement('script');
    script.textContent = text;
    document.head.append(script);
    script.remove();
    if (page[name] === before) throw new Error(`the browser refused to run the script of ${name}`);
  };

  const load = async () => {
    let problem = 'This browser lacks DecompressionStream for deflate-raw, which the interactive timeline needs';
    try {
      new DecompressionStream('deflate-raw');
      problem = 'The interactive timeline could not start';
      const [echarts, viewer] = await Promise.all([inflate('packed-echarts'), inflate('packed-viewer')]);
      run(echarts, 'echarts');
      await parsed; // the viewer reads what stands below
      run(viewer, 'memviz');
      return page.memviz.ready;
    } catch (error) {
      const notice = byId('notice');
      if (notice.hidden) notice.textContent = `${problem}: ${error}. Below is the summary written with the file.`;
      notice.hidden = false;
      document.documentElement.classList.remove('scripted');
      throw error;
    }
  };

  page.memviz = { ready: load() };
}
