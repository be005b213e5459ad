/** The scheme of a URL with its colon, as in `sqlite:`; undefined for other text. */
export const schemeOf = (url: string): string | undefined => /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0];

/** The part of a URL that cannot be secret. */
export const shownUrl = (url: string): string => {
  const scheme = schemeOf(url);
  if (scheme === undefined) return 'text that is not a URL';
  return scheme === url ? url : `${scheme}…`;
};
