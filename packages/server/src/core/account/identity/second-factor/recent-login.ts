import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { credentialHash } from '../tokens/authenticate.ts'

const recentMs = 10 * 60_000

/**
 * What people log in with is changed by people who have just logged in, second factor included: not by who finds an unlocked screen, and
 * not by a program with a token of theirs.
 */
export const requireRecentLogin = async ({ tokens }: Tables, clock: Clock, authorization: string | undefined): Promise<void> => {
  const token = await tokens.findValid(credentialHash(authorization) ?? '', clock.now())
  const person = token?.kind === 'session' || token?.kind === 'operator'
  if (!person || clock.now() - token.createdAt > recentMs) throw new Problem('login_too_old')
}
