/**
 * Finds the maximum rate of a server: each lane sends its next request once the previous one has
 * been answered, as long as `more` returns true.
 */
export const runClosedLoop = async <Lane>(
  lanes: readonly Lane[],
  more: (n: number) => boolean,
  send: (lane: Lane, n: number) => Promise<void>,
): Promise<void> => {
  let next = 0;
  await Promise.all(
    lanes.map(async (lane) => {
      while (more(next)) await send(lane, next++);
    }),
  );
};
