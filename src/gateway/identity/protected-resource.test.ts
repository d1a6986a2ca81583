import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  challenge,
  coversScope,
  metadataUrlOf,
  type OAuthSettings,
  oauthSettings,
  profileOfMetadataPath,
  resourceOf,
} from './protected-resource.ts';

const settings: OAuthSettings = {
  issuer: 'https://login.example/realm',
  audience: 'https://tools.example/team/mcp',
  required_scopes: ['team'],
};
const profiles = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,31}$/);

describe('the settings', () => {
  test('are complete and secure, or an error with the position', () => {
    const { issuer, audience } = settings;
    const codeOf = (written: object) => {
      try {
        return oauthSettings(written)?.required_scopes;
      } catch (thrown) {
        return (thrown as Error).message.split(':')[0];
      }
    };
    expect([
      oauthSettings(undefined),
      codeOf({ issuer, audience }),
      codeOf({ issuer: 'http://127.0.0.1:3000', audience: 'http://localhost:7717/mcp' }),
      codeOf({ audience }),
      codeOf({ issuer: 'http://login.example', audience }),
      codeOf({ issuer, audience: 'api://bindery' }),
      codeOf({ issuer, audience: 'https://tools.example/mcp?x=1' }),
      codeOf({ issuer, audience: 'https://tools.example/mcp/' }),
      codeOf({ issuer, audience, jwks_uri: 'file:///etc/passwd' }),
      codeOf({ issuer, audience, required_scopes: ['two words'] }),
      codeOf({ issuer, audience, requird_scopes: [] }),
    ]).toEqual([
      undefined,
      [],
      [],
      'gateway.auth.oauth.issuer',
      'gateway.auth.oauth.issuer',
      'gateway.auth.oauth.audience',
      'gateway.auth.oauth.audience',
      'gateway.auth.oauth.audience',
      'gateway.auth.oauth.jwks_uri',
      'gateway.auth.oauth.required_scopes.0',
      'gateway.auth.oauth',
    ]);
  });
});

describe('a profile', () => {
  test('has its own resource, whose metadata leads back to it', () => {
    fc.assert(
      fc.property(profiles, profiles, (one, other) => {
        const path = new URL(metadataUrlOf(resourceOf(settings, one))).pathname;
        expect(profileOfMetadataPath(settings, path)).toBe(one);
        expect(resourceOf(settings, one) === resourceOf(settings, other)).toBe(one === other);
      }),
    );
  });

  test('is also found under the URL of the gateway itself, and nothing else is', () => {
    const at = (path: string) => profileOfMetadataPath(settings, `/.well-known/oauth-protected-resource${path}`);
    expect([
      at(''),
      at('/mcp'),
      at('/mcp/work'),
      at('/team/mcp'),
      at('/team/mcp/work'),
      at('/mcp/a/b'),
      at('/mcp/UPPER'),
      at('/mcpx'),
      at('/v1'),
    ]).toEqual(['default', 'default', 'work', 'default', 'work', undefined, undefined, undefined, undefined]);
  });
});

test('a token needs every scope of the config and the scope of its use; admin includes every use', () => {
  const scopes = fc.subarray(['team', 'bindery:call', 'bindery:read', 'bindery:admin', 'call', 'admin']);
  fc.assert(
    fc.property(scopes, (granted) => {
      const has = new Set(granted);
      expect(coversScope(settings, granted, 'call')).toBe(
        has.has('team') && (has.has('bindery:call') || has.has('bindery:admin')),
      );
    }),
  );
});

test('a challenge names the metadata of the profile and the scopes to request', () => {
  expect(challenge(settings, 'work', 'call', 'insufficient_scope')).toBe(
    'Bearer error="insufficient_scope", resource_metadata="https://tools.example/.well-known/oauth-protected-resource/team/mcp/work", scope="team bindery:call"',
  );
});
