const nothing = (): void => undefined;

/** Logs only errors, to the standard error. */
export const silentLogger = {
  info: nothing,
  warn: nothing,
  error: (details: object, message: string): void =>
    void process.stderr.write(`${message}: ${JSON.stringify(details)}\n`),
};
