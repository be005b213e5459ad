/** A key that makes a request repeatable: printable ASCII; HTTP takes the spaces around it away. */
export const idempotencyKeyPattern = '^[!-~]([ -~]{0,253}[!-~])?$';
