/** Why a URL cannot be used as a client id; undefined if it can. */
export function metadataUrlReason(text: string): string | undefined {
  const url = URL.parse(text);
  const isPlain = url !== null && url.username === '' && url.password === '' && url.hash === '';
  const isNormal = url?.href === text && url.pathname !== '/';
  return isPlain && isNormal && url.protocol === 'https:'
    ? undefined
    : 'is no https:// URL with a path, and without a fragment or credentials';
}

/** The loopback callback of a host. Authorization servers accept any port for it (RFC 8252, section 7.3). */
const LOOPBACK_CALLBACK = 'http://127.0.0.1/mcp/oauth/callback';

/** Our client metadata document, for authorization servers that read it from this URL, which is then the client id. */
export function clientMetadataDocument(url: string, clientName: string, redirectUris: readonly string[]) {
  return {
    client_id: url,
    client_name: clientName,
    redirect_uris: [...redirectUris, LOOPBACK_CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  };
}
