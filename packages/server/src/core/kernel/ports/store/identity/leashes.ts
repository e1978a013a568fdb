import type { Static } from 'typebox'
import type { LeashRules as Rules } from '@offhook/contract/v1/authorization/leashes.ts'

/** What a leash allows. What is left out is not limited. */
export type LeashRules = Static<typeof Rules>

export interface Leash {
  userId: string
  /** Of the personal token, or the OAuth client, that it holds. */
  id: string
  holder: 'token' | 'client'
  rules: LeashRules
}

export interface Leashes {
  list(accountId: string, userId: string): Promise<Leash[]>
  find(accountId: string, userId: string, id: string): Promise<Leash | undefined>
  set(accountId: string, leash: Leash): Promise<void>
  /** False when there is none. */
  remove(accountId: string, userId: string, id: string): Promise<boolean>
  /** Of the users of every account. */
  removeByClient(clientId: string): Promise<void>
  removeByUser(accountId: string, userId: string): Promise<void>
}
