/** Which server and database a URL names, as much as may be seen: never a user, a password or a path to a key. */
export const shownTarget = (url: string): string =>
  url
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/^.*@/s, '')
    .replace(/[?#].*$/s, '')
    .replace(/\/$/, '');
