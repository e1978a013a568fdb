import { latestCall } from '@offhook/sdk/latest-call.ts'
import type { Connection } from './connection.ts'
import { Mistake } from '../terminal/mistake.ts'

/** Resolves a callId: `last` is the latest call of the user. */
export const chooseCall = async ({ api }: Pick<Connection, 'api'>, wanted: string): Promise<string> => {
  if (wanted !== 'last') return wanted
  const callId = await latestCall(api)
  if (callId === undefined) throw new Mistake(1, 'There is no call yet. Make one: offhook say')
  return callId
}
