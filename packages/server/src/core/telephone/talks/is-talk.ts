import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Where it is noted that the ticket of a talk was spent. */
export const ticketKey = (talkId: string): string => `talk ${talkId}`

/** Whether a call came from a browser or program of the account's own, which may pretend to call from any number. */
export const isTalk = async ({ idempotency }: Tables, accountId: string, callId: string): Promise<boolean> =>
  (await idempotency.find(accountId, ticketKey(callId))) !== undefined
