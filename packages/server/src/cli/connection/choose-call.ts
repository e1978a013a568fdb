import type { Connection } from './connection.ts'
import { Mistake } from '../terminal/mistake.ts'

/** Resolves a callId: `last` is the latest call of the user. */
export const chooseCall = async ({ api }: Pick<Connection, 'api'>, wanted: string): Promise<string> => {
  if (wanted !== 'last') return wanted
  const { items } = await api.listOwnHistory({ types: ['CALL', 'VOICEMAIL'], limit: 1 })
  const callId = items[0]?.callId
  if (callId === undefined) throw new Mistake(1, 'There is no call yet. Make one: offhook say')
  return callId
}
