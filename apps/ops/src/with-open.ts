/** Runs work with a resource, and closes the resource even if the work fails. */
export const withOpen = async <R extends { close(): Promise<void> }, T>(
  opening: Promise<R>,
  work: (resource: R) => Promise<T>,
): Promise<T> => {
  const resource = await opening;
  try {
    return await work(resource);
  } finally {
    await resource.close();
  }
};
