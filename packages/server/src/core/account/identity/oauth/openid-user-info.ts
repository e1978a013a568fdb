import { Problem } from '@offhook/contract/problem.ts'
import type { Scope } from '@offhook/contract/scopes.ts'
import type { User } from '#core/kernel/ports/store/account.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { UserCaller } from '../caller/caller.ts'

const names = ['name', 'given_name', 'family_name']

/** Claims of UserInfo and of the id_token (OpenID Connect Core §5.4). */
export const claimsByScope: Partial<Record<Scope, string[]>> = {
  openid: ['sub', 'locale', 'zoneinfo'],
  profile: names,
  email: ['email'],
  'users:read': [...names, 'email'],
  all: [...names, 'email'],
}

export const claimsOf = (user: User) => ({
  sub: user.subject,
  locale: user.locale.replace('_', '-'),
  zoneinfo: user.timezone,
  name: `${user.firstname} ${user.lastname}`.trim(),
  given_name: user.firstname,
  family_name: user.lastname,
  email: user.email,
})

/** OpenID Connect UserInfo. `sub` equals the id_token's. */
export const openidUserInfo = async ({ read }: Store, { accountId, userId, scopes }: UserCaller) => {
  const [account, user] = [await read.accounts.find(accountId), await read.users.find(accountId, userId)]
  if (!account || !user) throw new Problem('invalid_token')
  const { sub, locale, zoneinfo, email, ...named } = claimsOf(user)
  const isGranted = (claim: string): boolean => scopes.some((scope) => claimsByScope[scope]?.includes(claim))
  return {
    sub,
    locale,
    zoneinfo,
    userId: user.id,
    domain: account.domain,
    masterSipId: account.id,
    ...(isGranted('name') && named),
    ...(isGranted('email') && { email }),
  }
}
