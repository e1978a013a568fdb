import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Client,
  StreamableHTTPClientTransport,
  type OAuthClientProvider,
  type OAuthTokens,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client'
import { usualTools } from '@offhook/contract/tools.ts'
import { consentInBrowser } from '#test/http/browser.ts'
import { startWorld } from '#test/world/world.ts'

const redirectUrl = 'http://127.0.0.1:33418/callback'

/** Client state of a program on a user's machine, and the browser redirect. */
class Keeper implements OAuthClientProvider {
  readonly redirectUrl = redirectUrl
  readonly clientMetadata = {
    client_name: 'An agent',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: 'all',
  }
  sentTo: URL | undefined
  #client: StoredOAuthClientInformation | undefined
  #tokens: OAuthTokens | undefined
  #verifier = ''
  clientInformation = () => this.#client
  saveClientInformation = (client: StoredOAuthClientInformation) => void (this.#client = client)
  tokens = () => this.#tokens
  saveTokens = (tokens: OAuthTokens) => void (this.#tokens = tokens)
  redirectToAuthorization = (url: URL) => void (this.sentTo = url)
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier)
  codeVerifier = () => this.#verifier
}

test('registers the official client, asks the user, and sets a leash, in one flow', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const authProvider = new Keeper()
  const transport = () => new StreamableHTTPClientTransport(new URL('/mcp', world.url), { authProvider })
  const first = transport()
  await assert.rejects(new Client({ name: 'test', version: '1' }).connect(first))
  const { sentTo } = authProvider
  assert.ok(sentTo, 'nobody was asked')
  assert.equal(sentTo.searchParams.get('resource'), `${world.url}/mcp`)
  assert.equal(sentTo.searchParams.get('code_challenge_method'), 'S256')
  const end = await consentInBrowser(sentTo, ada)
  await first.finishAuth(end.searchParams)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport())
  t.after(() => client.close())
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    usualTools,
  )

  const [leash] = (await ada.api.listLeashes()).items
  assert.deepEqual([leash?.name, leash?.holder, leash?.confirm, leash?.callsPerDay], ['An agent', 'client', 'client', 20])
  const [grant] = (await ada.api.listGrants()).items
  assert.deepEqual([grant?.clientName, grant?.clientId], ['An agent', leash?.leashId])
  await ada.api.deleteGrant({ grantId: grant?.grantId ?? '' })
  await assert.rejects(client.listTools(), 'the consent is withdrawn')
})

test('rejects a registration with an unsafe address, and a public client without PKCE or with a foreign resource', async (t) => {
  const world = await startWorld(t)
  const register = async (input: object) => {
    const body = JSON.stringify({ redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none', ...input })
    const reply = await fetch(`${world.url}/v1/authorization/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return { status: reply.status, ...((await reply.json()) as { client_id?: string; error?: string }) }
  }
  const { status, client_id = '' } = await register({ client_name: 'An agent' })
  assert.equal(status, 201)
  for (const input of [
    { token_endpoint_auth_method: 'private_key_jwt' },
    { redirect_uris: ['http://evil.example/callback'] },
    { redirect_uris: [] },
    { client_name: 'x'.repeat(101) },
  ])
    assert.equal((await register(input)).status, 400, JSON.stringify(input))
  const start = (query: Record<string, string>) => {
    const fixed = { client_id, redirect_uri: redirectUrl, response_type: 'code', scope: 'history:read' }
    return fetch(`${world.url}/v1/authorization/oauth/authorize?${new URLSearchParams({ ...fixed, ...query }).toString()}`, {
      redirect: 'manual',
    })
  }
  const pkce = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }
  const errorOf = (reply: Response) => new URL(reply.headers.get('location') ?? '', world.url).searchParams.get('error')
  assert.equal(errorOf(await start({})), 'invalid_request', 'without PKCE')
  assert.equal(errorOf(await start({ ...pkce, resource: 'https://other.example/mcp' })), 'invalid_target')
  assert.equal(errorOf(await start({ ...pkce, resource: `${world.url}/mcp` })), null)
})
