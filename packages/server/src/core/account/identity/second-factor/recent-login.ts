import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { credentialHash } from '../tokens/authenticate.ts'

const recentMs = 10 * 60_000

/**
 * Changing login credentials requires a recent login with second factor: an unlocked screen or
 * a program with the user's token is not enough.
 */
export const requireRecentLogin = async ({ tokens }: Tables, clock: Clock, authorization: string | undefined): Promise<void> => {
  const token = await tokens.findValid(credentialHash(authorization) ?? '', clock.now())
  const person = token?.kind === 'session' || token?.kind === 'operator'
  if (!person || clock.now() - token.createdAt > recentMs) throw new Problem('login_too_old')
}
