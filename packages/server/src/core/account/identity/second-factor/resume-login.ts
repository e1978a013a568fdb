import { Problem } from '@offhook/contract/problem.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Credentials } from '#core/kernel/ports/store/account.ts'
import { isChallengeOf, openChallenge, type ChallengeDeps } from './challenge.ts'

/** Returns the user of a challenge, for pages that ask for the password and the second factor in two steps. */
export const resumeLogin = async (
  deps: ChallengeDeps & { store: Store },
  challenge: string,
): Promise<{ credentials: Credentials; name: string }> => {
  const content = openChallenge(deps, challenge)
  const user = content && (await deps.store.read.users.findBySubject(content.subject))
  const credentials = user && (await deps.store.write(({ users }) => users.hold(user.accountId, user.userId)))
  if (!credentials || !isChallengeOf(deps, challenge, credentials)) throw new Problem('invalid_credentials')
  return { credentials, name: content.name }
}
