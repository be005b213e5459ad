/** A request target without its origin: a client may name scheme and host there too (absolute-form, RFC 9112 §3.2.2). */
export const originForm = (target: string): string => {
  if (target.startsWith('/')) return target;
  const rest = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') || rest === '*' ? rest : `/${rest}`;
};

/** Whether the percent escapes of a query are whole, and UTF-8. Those of the path are the router's to judge. */
export const isDecodable = (target: string): boolean => {
  const query = target.indexOf('?');
  if (query === -1 || !target.includes('%', query)) return true;
  try {
    decodeURIComponent(target.slice(query));
    return true;
  } catch {
    return false;
  }
};
