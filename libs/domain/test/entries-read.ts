/// <reference types="jest" />

/** Returns how many entries the maps have that a function copies or walks through. */
export const entriesRead = (work: () => unknown): number => {
  const copied = jest.spyOn(Map.prototype, Symbol.iterator);
  const walked = jest.spyOn(Map.prototype, 'values');
  try {
    work();
    return sizes(copied.mock.contexts) + sizes(walked.mock.contexts);
  } finally {
    copied.mockRestore();
    walked.mockRestore();
  }
};

const sizes = (maps: readonly unknown[]): number =>
  (maps as readonly { readonly size: number }[]).reduce((sum, { size }) => sum + size, 0);
