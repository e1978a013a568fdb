import { Problem } from '@offhook/contract/problem.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { UserCaller } from '../caller/caller.ts'

/** OpenID Connect UserInfo. `sub` equals the id_token's; name and e-mail address only with the scope to read users. */
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
