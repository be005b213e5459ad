/**
 * Decodes a key of 32 bytes from base64, as `openssl rand -base64 32` prints it; undefined for
 * anything else.
 */
export const decodeSecretsKey = (encoded: string): Buffer | undefined => {
  const key = Buffer.from(encoded, 'base64');
  // Buffer skips invalid characters: the text was base64 only if encoding gives it back
  return key.length === 32 && key.toString('base64') === encoded ? key : undefined;
};
