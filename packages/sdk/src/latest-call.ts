import type { Client } from './client-of.ts'

/** CallId of the user's latest call or voicemail; undefined before the first. */
export const latestCall = async (api: Pick<Client, 'listOwnHistory'>): Promise<string | undefined> => {
  const { items } = await api.listOwnHistory({ types: ['CALL', 'VOICEMAIL'], limit: 1 })
  return items[0]?.callId
}
