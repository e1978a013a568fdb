import { createInterface, type Interface } from 'node:readline'
import { watchTimeline } from '@offhook/sdk'
import type { TalkNews } from '@offhook/contract/v3/talks.ts'
import { chooseFlow } from './choose-flow.ts'
import { connect, inWords, type Connection, type ConnectionOptions } from './connection.ts'
import { conversationLine, Quiet } from './conversation.ts'
import { harmless, paint } from './paint.ts'
import { openTalk, type TypedTalk } from './typed-talk.ts'
import { untilInterrupted } from './until-interrupted.ts'

export interface SayOptions extends ConnectionOptions {
  flow?: string
  /** Seconds. */
  patience: number
}

/** Calls a flow and types instead of speaking: what was given, each when the assistant has answered; without any, what is typed now. */
export const say = async (texts: string[], options: SayOptions): Promise<void> => {
  const connection = await connect(options)
  try {
    const flow = await chooseFlow(connection, options.flow)
    console.error(paint('gray', `Calling ${flow.name}. Ctrl-C hangs up.`, process.stderr))
    await converse(connection, flow.id, texts, options.patience * 1000)
  } catch (error) {
    throw inWords(error, connection.baseUrl)
  }
}

const converse = async (connection: Connection, flowId: string, texts: string[], patienceMs: number): Promise<void> => {
  const typing = texts.length === 0 && process.stdin.isTTY ? keyboard() : undefined
  const show = (line: string): void => showAbove(typing, line)
  const talk = await openTalk(connection, flowId, (news) => tellNews(news, show))
  const over = new AbortController()
  const interrupted = untilInterrupted()
  interrupted.addEventListener('abort', () => talk.send({ type: 'hangup' }))
  const quiet = new Quiet()
  const watching = watch(connection, talk.callId, over.signal, { quiet, show })
  const talking = typing ? typed(typing, talk) : scripted(texts.length > 0 ? texts : pipe(), talk, quiet, patienceMs)
  const { by, reason } = await talk.ended.finally(() => {
    over.abort()
    typing?.close()
    if (typing && process.stdout.isTTY) process.stdout.write('\r\u001b[K')
  })
  await Promise.all([watching, talking])
  console.error(paint('gray', `The call is over: ${reason} (${by}).`, process.stderr))
}

const keyboard = (): Interface => createInterface({ input: process.stdin, output: process.stdout, prompt: '▶ ' })

/** Not opened before somebody reads: lines that came earlier would be lost. */
async function* pipe(): AsyncGenerator<string> {
  yield* createInterface({ input: process.stdin })
}

/** Above the line that is being typed. */
const showAbove = (typing: Interface | undefined, line: string): void => {
  if (!typing || !process.stdout.isTTY) return console.log(line)
  process.stdout.write(`\r\u001b[K${line}\n`)
  typing.prompt(true)
}

const tellNews = (news: TalkNews, show: (line: string) => void): void => {
  if (news.type === 'held') show(paint('gray', news.value ? '  (on hold)' : '  (no longer on hold)'))
  if (news.type === 'problem') show(paint('red', `  ${harmless(news.message)}`))
}

interface Watcher {
  quiet: Quiet
  show: (line: string) => void
}

const watch = async ({ baseUrl, token }: Connection, callId: string, signal: AbortSignal, { quiet, show }: Watcher): Promise<void> => {
  for await (const entry of watchTimeline({ baseUrl, token, callId, signal })) {
    const line = conversationLine(entry)
    if (line !== undefined) show(line)
    quiet.take(entry)
  }
}

/** Each line is said; `/1` presses a key, `/hangup` hangs up. */
const typed = async (typing: Interface, talk: TypedTalk): Promise<void> => {
  typing.on('SIGINT', () => talk.send({ type: 'hangup' }))
  typing.prompt()
  for await (const line of typing) {
    send(talk, line)
    typing.prompt()
  }
  talk.send({ type: 'hangup' })
}

/** One after the other, each when the assistant has spoken; then hangs up. */
const scripted = async (
  lines: Iterable<string> | AsyncIterable<string>,
  talk: TypedTalk,
  quiet: Quiet,
  patienceMs: number,
): Promise<void> => {
  await untilQuiet(talk, quiet, patienceMs)
  for await (const line of lines) {
    console.log(paint('green', `▶ ${harmless(line)}`))
    send(talk, line)
    await untilQuiet(talk, quiet, patienceMs)
  }
  talk.send({ type: 'hangup' })
}

const untilQuiet = (talk: TypedTalk, quiet: Quiet, patienceMs: number): Promise<unknown> =>
  Promise.race([quiet.next(patienceMs), talk.ended])

const send = (talk: TypedTalk, line: string): void => {
  const keys = /^\/([0-9*#]+)$/.exec(line)?.[1]
  if (line === '/hangup') return talk.send({ type: 'hangup' })
  if (keys !== undefined) return talk.send({ type: 'dtmf', digits: keys })
  if (line.trim() !== '') talk.send({ type: 'text', text: line })
}
