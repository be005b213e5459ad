/**
 * The server and database that a URL names, in a form that may be shown: without a user, a password
 * or query options such as a path to a key.
 */
export const shownTarget = (url: string): string =>
  url
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/^.*@/s, '')
    .replace(/[?#].*$/s, '')
    .replace(/\/$/, '');
