// A real authorization server for tests: resource, and "opaque" for tokens that only introspection explains.
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const [resource, format] = process.argv.slice(2);
const require = createRequire(process.env.NODE_FOLDER + '/');
const { Provider } = await import(require.resolve('oidc-provider'));
// It listens before the provider exists, which has to know its own address.
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${server.address().port}`;
const scope = 'semantic:read semantic:write';
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });

class UnknownResource extends Error {
  error = 'invalid_target';
  error_description = 'unknown resource';
  status = 400;
  statusCode = 400;
  expose = true;
}

const provider = new Provider(issuer, {
  jwks: { keys: [{ ...key, kid: 'k1', alg: 'ES256', use: 'sig' }] },
  scopes: ['openid', 'offline_access', ...scope.split(' ')],
  clients: [
    {
      client_id: 'tests',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      redirect_uris: ['http://localhost:3030/callback'],
      response_types: ['code'],
      grant_types: ['authorization_code', 'refresh_token'],
    },
    {
      client_id: 'pages',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      redirect_uris: [new URL('/signed_in', resource).href],
      response_types: ['code'],
      grant_types: ['authorization_code'],
    },
    { client_id: 'citemark', client_secret: 'asks', redirect_uris: [], response_types: [], grant_types: ['client_credentials'] },
  ],
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  cookies: { keys: ['tests'] },
  findAccount: async (_, sub) => ({ accountId: sub, claims: async () => ({ sub }) }),
  extraTokenClaims: async (_, token) => ({ groups: token.accountId === 'alice' ? ['staff'] : [] }),
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: true },
    introspection: { enabled: true },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => undefined,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, asked) => {
        if (asked !== resource && asked !== 'http://other.example/mcp') throw new UnknownResource();
        const jwt = { accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } };
        return { scope, audience: asked, accessTokenTTL: 600, ...(format === 'opaque' ? { accessTokenFormat: 'opaque' } : jwt) };
      },
    },
  },
});
server.on('request', provider.callback());
console.log(`issuer ${issuer}`);
