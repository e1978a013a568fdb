import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { generateKeyPairSync } from 'node:crypto'
import { Provider } from 'oidc-provider'
import type { Scope } from '../machine/temporary-folder.ts'

/** Person at the provider; `sub` is the login. */
export interface Employee {
  sub: string
  email: string
  email_verified?: boolean
  given_name?: string
  family_name?: string
  groups?: string[]
  amr?: string[]
}

export interface CompanyOidc {
  issuer: string
  client: { clientId: string; clientSecret: string }
  /** The person at the keyboard. */
  employee: Employee
  /** Accepts the client from now on. */
  register(redirectUri: string, returnUrl: string): void
  /** Replaces the ID tokens that it sends. */
  forge: ((idToken: string) => string | Promise<string>) | undefined
}

const client = { clientId: 'offhook', clientSecret: 'a secret of at least thirty-two letters' }

export const signingKey = { ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }), kid: 'company' }

/** A company's OpenID Connect provider: oidc-provider, which demands PKCE and logs its employee in without asking. */
export const startCompanyOidc = async (t: Scope, employee: Employee): Promise<CompanyOidc> => {
  let provider: Provider | undefined
  const server = createServer((request, reply) => {
    if (!provider) throw new Error('no client is registered yet')
    const uid = /^\/interaction\/([\w-]+)$/.exec(request.url ?? '')?.[1]
    if (uid === undefined) void provider.callback()(request, reply)
    else void consent(provider, company.employee, request, reply)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const company: CompanyOidc = {
    issuer,
    client,
    employee,
    forge: undefined,
    register: (redirectUri, returnUrl) => {
      provider = new Provider(issuer, {
        clients: [
          {
            client_id: client.clientId,
            client_secret: client.clientSecret,
            redirect_uris: [redirectUri],
            post_logout_redirect_uris: [returnUrl],
          },
        ],
        claims: { openid: ['sub', 'groups', 'amr'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
        cookies: { keys: ['test'], names: { session: 'idp_session', interaction: 'idp_interaction', resume: 'idp_resume' } },
        features: { devInteractions: { enabled: false } },
        findAccount: (_context, accountId) => ({ accountId, claims: () => ({ ...company.employee, sub: accountId }) }),
        interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
        jwks: { keys: [signingKey] },
        pkce: { required: () => true },
      })
      provider.use(async (context, next) => {
        await next()
        const { body } = context as { body: { id_token?: string } | undefined }
        if (company.forge && body?.id_token !== undefined) body.id_token = await company.forge(body.id_token)
      })
    },
  }
  return company
}

const consent = async (
  provider: Provider,
  { sub }: Employee,
  ...[request, reply]: Parameters<Provider['interactionDetails']>
): Promise<void> => {
  const { params } = await provider.interactionDetails(request, reply)
  const grant = new provider.Grant({ accountId: sub, clientId: String(params.client_id) })
  grant.addOIDCScope(String(params.scope))
  await provider.interactionFinished(request, reply, {
    login: { accountId: sub, remember: false },
    consent: { grantId: await grant.save() },
  })
}
