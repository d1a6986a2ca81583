/** A header of the request, from Node's own list if possible: creating a `Headers` object costs more than a small answer. */
export function requestHeader(request: Request, env: unknown, name: string): string | undefined {
  const { incoming } = (env ?? {}) as { incoming?: { rawHeaders: readonly string[] } };
  if (!incoming) return request.headers.get(name) ?? undefined;
  const { rawHeaders } = incoming;
  let value: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] as string;
    if (header.length !== name.length || header.toLowerCase() !== name.toLowerCase()) continue;
    const text = rawHeaders[index + 1] as string;
    value = value === undefined ? text : `${value}, ${text}`;
  }
  return value;
}
