import { Problem } from '@offhook/contract/problem.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { UserCaller } from '../caller/caller.ts'

/** What OpenID Connect libraries ask for. `sub` is the id_token's; the name and the e-mail address only for who may read users. */
export const openidUserInfo = async ({ read }: Store, { accountId, userId, scopes }: UserCaller) => {
  const [account, user] = [await read.accounts.find(accountId), await read.users.find(accountId, userId)]
  if (!account || !user) throw new Problem('invalid_token')
  const known = scopes.includes('all') || scopes.includes('users:read')
  return {
    sub: user.subject,
    locale: user.locale.replace('_', '-'),
    zoneinfo: user.timezone,
    userId: user.id,
    domain: account.domain,
    masterSipId: account.id,
    ...(known && {
      name: `${user.firstname} ${user.lastname}`.trim(),
      given_name: user.firstname,
      family_name: user.lastname,
      email: user.email,
    }),
  }
}
