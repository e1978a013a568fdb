import type { BodyOf } from '@offhook/contract/operation.ts'
import type { TalkFrame, TalkNews, talkOperations } from '@offhook/contract/v3/talks.ts'
import type { Connection } from '../connection/connection.ts'
import { Mistake } from '../terminal/mistake.ts'

type TalkEnd = Pick<Extract<TalkNews, { type: 'ended' }>, 'by' | 'reason'>

/** Simulated caller and callee, and the answering assistant. */
type TalkRequest = BodyOf<(typeof talkOperations)['startTalk']>

/** A text call to a flow; audio only on request. */
export interface TypedTalk {
  callId: string
  send(frame: TalkFrame): void
  sendSound(frame: Int16Array<ArrayBuffer>): void
  /** Closes the connection in any state, which hangs up. */
  close(): void
  /** Resolves when the call has ended. */
  ended: Promise<TalkEnd>
}

/** Calls the flow; resolves as soon as the call has an id. Later messages go to `onNews`. */
export const openTalk = async (
  { api }: Pick<Connection, 'api'>,
  flowId: string,
  onNews: (news: TalkNews) => void,
  input: TalkRequest = {},
  onSound: (frame: Int16Array) => void = () => {},
): Promise<TypedTalk> => {
  const { url } = await api.startTalk({ aiFlowId: flowId }, { audio: false, ...input })
  const ready = Promise.withResolvers<string>()
  const ended = Promise.withResolvers<TalkEnd>()
  ended.promise.catch(() => {}) // the start promise rejects as well
  const socket = new WebSocket(url)
  socket.binaryType = 'arraybuffer'
  const take = (news: TalkNews): void => {
    if (news.type === 'ready') ready.resolve(news.callId)
    if (news.type === 'ended') ended.resolve({ by: news.by, reason: news.reason })
    onNews(news)
  }
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') take(JSON.parse(data) as TalkNews)
    else onSound(new Int16Array(data as ArrayBuffer))
  })
  socket.addEventListener('close', ({ reason }) => {
    const broke = new Mistake(1, `The connection ended${reason === '' ? '' : `: ${reason}`}.`)
    ready.reject(broke)
    ended.reject(broke)
  })
  const callId = await ready.promise
  const sendAny = (data: string | Int16Array<ArrayBuffer>): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(data)
  }
  const send = (frame: TalkFrame): void => sendAny(JSON.stringify(frame))
  return { callId, send, sendSound: sendAny, close: () => socket.close(1000), ended: ended.promise }
}
