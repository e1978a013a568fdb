import { Problem } from '@offhook/contract/problem.ts'
import type { authorizationOperations } from '@offhook/contract/v1/authorization.ts'
import { credentialHash } from '#core/account/identity/tokens/authenticate.ts'
import { listConnectedApps, withdrawConsent, type ConnectedApp } from '#core/account/identity/oauth/connected-apps.ts'
import { openidUserInfo } from '#core/account/identity/oauth/openid-user-info.ts'
import { programName } from '#core/account/identity/login/program-name.ts'
import { verifyUser } from '#core/account/identity/login/log-in.ts'
import {
  createOauthClient,
  findOauthClient,
  removeOauthClient,
  resetOauthClientSecret,
  updateOauthClient,
} from '#core/account/identity/oauth/oauth-clients.ts'
import { createPersonalToken, removePersonalToken } from '#core/account/identity/tokens/personal-tokens.ts'
import { passkeySite } from '#core/account/identity/second-factor/passkey-site.ts'
import { personOfUser } from '#core/account/identity/second-factor/challenge.ts'
import { proveSecondFactor } from '#core/account/identity/second-factor/prove.ts'
import { openSession, revokeToken } from '#core/account/identity/login/session-tokens.ts'
import type { OauthClient } from '#core/kernel/ports/store/identity.ts'
import type { Handlers } from '../handler/context.ts'
import { markCookie, marksIn } from '../handler/known-browsers.ts'
import type { HandlerDeps, LoginDeps } from '../handler/handler-deps.ts'
import { singleSignOnLoginHandlers } from './authorization/singlesignon.ts'
import { leashHandlers } from './authorization/leashes.ts'
import type { loginSessionOperations } from '@offhook/contract/v1/authorization/sessions.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

export const authorizationHandlers = (deps: LoginDeps & Pick<HandlerDeps, 'authenticator'>): Handlers<typeof authorizationOperations> => {
  const { store, clock, authenticator, installation } = deps
  return {
    ...leashHandlers(deps),
    ...loginSessionHandlers(deps),
    ...singleSignOnLoginHandlers(deps),

    listOauthClients: async ({ caller }) => {
      const clients = await store.read.oauthClients.list(caller.accountId, caller.userId)
      return { items: clients.map(toElement) }
    },

    createOauthClient: async ({ caller, body }) => {
      const client = await store.write((tables) => createOauthClient(tables, clock, caller, body))
      return { ...toElement(client), clientSecret: client.clientSecret }
    },

    getOauthClient: async ({ caller, params }) => ({ items: [toElement(await findOauthClient(store, caller, params.clientId))] }),

    updateOauthClient: async ({ caller, params, body }) => {
      const { clientId } = await findOauthClient(store, caller, params.clientId)
      await store.write((tables) => updateOauthClient(tables, clock, caller, clientId, body))
    },

    deleteOauthClient: async ({ caller, params }) => {
      const { clientId } = await findOauthClient(store, caller, params.clientId)
      await store.write((tables) => removeOauthClient(tables, clock, caller, clientId))
      authenticator.forget()
    },

    resetOauthClientSecret: async ({ caller, params }) => {
      const { clientId } = await findOauthClient(store, caller, params.clientId)
      const clientSecret = await store.write((tables) => resetOauthClientSecret(tables, clock, caller, clientId))
      return { clientId, clientSecret }
    },

    createSessionToken: async ({ body, ip, ownPage, cookie, setCookie, userAgent }) => {
      // People log in to the console with their password; programs have the code flow and personal tokens.
      if (!installation.passwordGrant && ownPage === undefined) throw new Problem('password_login_off')
      const { username, password } = body
      const credentials = await verifyUser(deps, { username, password, ip, marks: marksIn(cookie) })
      const person = await personOfUser(store.read, credentials, username)
      const standing = await proveSecondFactor(deps, person, body, { ip, site: passkeySite(ownPage ?? installation.publicUrl()) })
      const from = { program: programName(userAgent), place: ip }
      const token = await store.write((tables) => openSession(tables, clock, credentials, { standing, from }))
      setCookie(markCookie(deps, cookie, username))
      return { token, ...(standing === 'missing' && { secondFactorMissing: true as const }) }
    },

    deleteSessionToken: async ({ caller, authorization }) => {
      await store.write((tables) => revokeToken(tables, clock, caller, credentialHash(authorization) ?? ''))
      authenticator.forget()
    },

    getUserInfo: async ({ caller }) => {
      const account = await store.read.accounts.find(caller.accountId)
      const user = await store.read.users.find(caller.accountId, caller.userId)
      if (!account || !user) throw new Problem('invalid_token')
      return { sub: user.id, domain: account.domain, masterSipId: account.id, locale: user.locale }
    },

    getOpenidUserInfo: ({ caller }) => openidUserInfo(store, caller),
    postOpenidUserInfo: ({ caller }) => openidUserInfo(store, caller),

    listGrants: async ({ caller }) => ({ items: (await listConnectedApps(deps, caller)).map(toGrant) }),

    deleteGrant: async ({ caller, params }) => {
      await store.write((tables) => withdrawConsent(tables, deps, caller, params.grantId))
      authenticator.forget()
    },

    listPersonalTokens: async ({ caller }) => {
      const tokens = await store.read.tokens.listPersonal(caller.accountId, caller.userId)
      const demanded = (await store.read.accounts.find(caller.accountId))?.secondFactor ?? false
      return {
        items: tokens.map(({ id, name, scopes, createdAt, secondFactor }) => ({
          tokenId: id,
          name,
          scopes: [...scopes],
          createdAt: new Date(createdAt).toISOString(),
          ...(demanded && !secondFactor && { lacksSecondFactor: true as const }),
        })),
      }
    },

    createPersonalToken: ({ caller, body: { name, scopes = ['all'] } }) =>
      store.write((tables) => createPersonalToken(tables, clock, caller, { name, scopes })),

    deletePersonalToken: async ({ caller, params }) => {
      await store.write((tables) => removePersonalToken(tables, clock, caller, params.tokenId))
      authenticator.forget()
    },
  }
}

const toGrant = ({ createdAt, lastUsedAt, ...rest }: ConnectedApp) => ({
  ...rest,
  createdAt: new Date(createdAt).toISOString(),
  ...(lastUsedAt !== undefined && { lastUsedAt: new Date(lastUsedAt).toISOString() }),
})

const toElement = ({ clientId, name, redirectUris }: OauthClient) => ({ clientId, name, redirectUris })

const loginSessionHandlers = ({
  store,
  clock,
  authenticator,
}: Pick<HandlerDeps, 'store' | 'clock' | 'authenticator'>): Handlers<typeof loginSessionOperations> => ({
  listLoginSessions: async ({ caller: { accountId, userId, tokenId } }) => {
    const sessions = await store.read.tokens.listSessions(accountId, userId, clock.now())
    return {
      items: sessions.map(({ id, createdAt, lastSeenAt, program, place }) => ({
        id,
        createdAt: new Date(createdAt).toISOString(),
        lastSeenAt: new Date(lastSeenAt).toISOString(),
        program,
        place,
        current: id === tokenId,
      })),
    }
  },

  endLoginSession: async ({ caller, params: { sessionId } }) => {
    await store.write(async (tables) => {
      if (!(await tables.tokens.removeSession(caller.accountId, caller.userId, sessionId)))
        throw new Problem('not_found', 'You have no session with this id.')
      await auditByUser(tables, clock, caller, 'session.end', sessionId)
    })
    authenticator.forget()
  },

  endOtherLoginSessions: async ({ caller }) => {
    await store.write(async (tables) => {
      await tables.tokens.removeOtherSessions(caller.accountId, caller.userId, caller.tokenId)
      await auditByUser(tables, clock, caller, 'session.end_others', caller.userId)
    })
    authenticator.forget()
  },
})
