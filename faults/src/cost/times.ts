/** How many requests are measured at a time. As many others warm up before them. */
export const measured = 50;

/** How many requests a measurement sends. */
export const sent = 2 * measured;
