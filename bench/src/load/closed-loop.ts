/** Each lane sends its next request when the last one was answered, as long as `more` says so: for what a server can do at most. */
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
