/** The port is asynchronous, this engine is not. */
export const promised = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(work()));
