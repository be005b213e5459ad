/** Calls `act` for each of the rows, sixteen at a time. */
export const sixteenAtATime = async <Row>(
  rows: Iterable<Row>,
  act: (row: Row) => Promise<void>,
): Promise<void> => {
  const rest = rows[Symbol.iterator]();
  const actOnNext = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: 16 }, actOnNext));
};
