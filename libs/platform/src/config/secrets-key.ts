/** Reads a key of 32 bytes in base64, as `openssl rand -base64 32` prints it; undefined for anything else. */
export const decodeSecretsKey = (encoded: string): Buffer | undefined => {
  const key = Buffer.from(encoded, 'base64');
  // Buffer reads what it can: only what comes out as it went in was base64
  return key.length === 32 && key.toString('base64') === encoded ? key : undefined;
};
