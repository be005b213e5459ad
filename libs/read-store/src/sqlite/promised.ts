/** Makes synchronous work asynchronous, as the port requires; errors become rejections. */
export const promised = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(work()));
