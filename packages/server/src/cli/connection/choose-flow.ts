import type { ReplyOf } from '@offhook/contract'
import type { flowOperations } from '@offhook/contract/v3/ai-flows.ts'
import type { Connection } from './connection.ts'
import { Mistake } from '../terminal/mistake.ts'

export type Flow = ReplyOf<(typeof flowOperations)['getFlow']>

/** Finds the flow with this id or name; default: the only one, the one that `offhook dev` opened last if it answers, or that of the first start. */
export const chooseFlow = async ({ api, notes }: Pick<Connection, 'api' | 'notes'>, wanted: string | undefined): Promise<Flow> => {
  const { items } = await api.listFlows()
  const known = items.map(({ id, name }) => `\n  ${id}  ${name}`).join('')
  if (wanted !== undefined) {
    const found = items.find(({ id }) => id === wanted) ?? items.find(({ name }) => name === wanted)
    if (!found) throw new Mistake(1, `There is no flow ${wanted}. There are:${known || ' none'}`)
    return found
  }
  const opened = items.find(({ id }) => id === notes.openedFlowId)
  const usual = items.length === 1 ? items[0] : opened && isServed(opened) ? opened : items.find(({ id }) => id === notes.flowId)
  if (!usual)
    throw new Mistake(2, items.length === 0 ? 'There is no flow yet. Make one: offhook dev' : `Which flow? --flow with one of:${known}`)
  return usual
}

/** `offhook dev` hands events on to a webhook on this machine: without it nothing answers there. */
const isServed = ({ webhookUrl = '', listener }: Flow): boolean =>
  listener !== undefined || !/^http:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?:[:/]|$)/.test(webhookUrl)
