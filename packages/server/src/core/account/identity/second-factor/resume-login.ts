import { Problem } from '@offhook/contract/problem.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Credentials } from '#core/kernel/ports/store/account/users.ts'
import { isChallengeOf, openChallenge, type ChallengeParts } from './challenge.ts'

/** Who got this challenge, for pages that ask for the password and the second factor one after the other. */
export const resumeLogin = async (
  parts: ChallengeParts & { store: Store },
  challenge: string,
): Promise<{ credentials: Credentials; name: string }> => {
  const content = openChallenge(parts, challenge)
  const user = content && (await parts.store.read.users.findBySubject(content.subject))
  const credentials = user && (await parts.store.write(({ users }) => users.hold(user.accountId, user.userId)))
  if (!credentials || !isChallengeOf(parts, challenge, credentials)) throw new Problem('invalid_credentials')
  return { credentials, name: content.name }
}
