import { createInterface } from 'node:readline'
import { watchTimeline } from '@offhook/sdk/watch-timeline.ts'
import type { TalkNews } from '@offhook/contract/v3/talks.ts'
import { chooseFlow } from './connection/choose-flow.ts'
import { connect, inWords, type Connection, type ConnectionOptions } from './connection/connection.ts'
import { ConversationLines, Quiet } from './say/conversation.ts'
import { Mistake } from './terminal/mistake.ts'
import { harmless, paint } from './terminal/paint.ts'
import { openTalk, type TypedTalk } from './say/typed-talk.ts'
import { untilInterrupted } from './terminal/until-interrupted.ts'

export interface SayOptions extends ConnectionOptions {
  flow?: string
  /** Seconds. */
  patience: number
  /** Regular expressions that each must match the assistant's speech. */
  expect?: string[]
  from?: string
  to?: string
  /** Speech takes no time. */
  fast?: boolean
}

/** Successful ends: one party hung up, or the call was transferred. */
const goodEnds = ['caller_hangup', 'callee_hangup', 'assistant_hangup', 'transferred']

/** Calls a flow and types instead of speaking: the given texts, each after the assistant has answered; without any, interactive input. */
export const say = async (texts: string[], options: SayOptions): Promise<void> => {
  const expected = (options.expect ?? []).map(patternOf)
  const connection = await connect(options)
  try {
    const flow = await chooseFlow(connection, options.flow)
    console.error(paint('gray', `Calling ${flow.name}. Ctrl-C hangs up.`, process.stderr))
    const heard = await converse(connection, flow.id, texts, options)
    const missing = expected.filter((pattern) => !heard.some((text) => pattern.test(text)))
    if (missing.length > 0) throw new Mistake(1, `This was not said: ${missing.map(({ source }) => source).join(', ')}`)
  } catch (error) {
    throw inWords(error, connection.baseUrl)
  }
}

const patternOf = (text: string): RegExp => {
  try {
    return new RegExp(text, 'iu')
  } catch (error) {
    throw new Mistake(2, `--expect: ${(error as Error).message}`)
  }
}

/** Returns the assistant's speech. */
const converse = async (connection: Connection, flowId: string, texts: string[], options: SayOptions): Promise<string[]> => {
  const timeoutMs = options.patience * 1000
  const isTyped = texts.length === 0 && process.stdin.isTTY && process.stdout.isTTY
  const heard: string[] = []
  let keyboard: Keyboard | undefined
  const show = (line: string): void => (keyboard ? keyboard.showAbove(line) : console.log(line))
  const { from, to, fast } = options
  const input = { ...(from && { from }), ...(to && { to }), ...(fast && { fast }) }
  const talk = await openTalk(connection, flowId, (news) => publishEvents(news, show), input)
  const over = new AbortController()
  untilInterrupted().addEventListener('abort', () => talk.send({ type: 'hangup' }))
  const quiet = new Quiet()
  const begun = Promise.withResolvers<void>()
  const lines = new ConversationLines(isTyped)
  const watching = watch(connection, talk.callId, over.signal, { quiet, lines, heard, show, begin: begun.resolve })
  await Promise.race([begun.promise, talk.ended])
  if (isTyped) keyboard = new Keyboard()
  const given = texts.length > 0 ? texts : pipe(over.signal)
  const talking = keyboard ? typed(keyboard, talk) : scripted(given, talk, quiet, timeoutMs)
  const { by, reason } = await talk.ended.finally(() => {
    over.abort()
    quiet.end()
    keyboard?.close()
  })
  await Promise.all([watching, talking])
  console.error(paint('gray', `The call is over: ${reason} (${by}).`, process.stderr))
  if (!goodEnds.includes(reason)) throw new Mistake(1, `The call did not end with a hang-up or a transfer: ${reason}`)
  return heard
}

/** Opened with the first read: earlier lines would be lost. Input still open at the end of the call is dropped. */
async function* pipe(over: AbortSignal): AsyncGenerator<string> {
  yield* createInterface({ input: process.stdin, signal: over })
}

const publishEvents = (news: TalkNews, show: (line: string) => void): void => {
  if (news.type === 'held') show(paint('gray', news.value ? '  (on hold)' : '  (no longer on hold)'))
  if (news.type === 'problem') show(paint('red', `  ${harmless(news.message)}`))
}

interface Watcher {
  quiet: Quiet
  lines: ConversationLines
  /** Speech of the assistant. */
  heard: string[]
  /** Called when the assistant has answered: it ignores earlier input. */
  begin: () => void
  show: (line: string) => void
}

const watch = async (
  { baseUrl, token }: Connection,
  callId: string,
  signal: AbortSignal,
  { quiet, lines, heard, show, begin }: Watcher,
): Promise<void> => {
  for await (const entry of watchTimeline({ baseUrl, token, callId, signal })) {
    const line = lines.of(entry)
    if (entry.kind === 'spoke' && entry.text !== undefined) heard.push(entry.text)
    if (line !== undefined) show(line)
    quiet.take(entry)
    if (entry.kind === 'event') begin()
  }
}

/** Each line is said; `/1` presses a key, `/hangup` hangs up. */
const typed = async (keyboard: Keyboard, talk: TypedTalk): Promise<void> => {
  for await (const line of keyboard.lines()) send(talk, line)
  talk.send({ type: 'hangup' })
}

/** Says the lines in sequence, each after the whole answer; then hangs up. Drops the rest if the call ends earlier. */
const scripted = async (
  lines: Iterable<string> | AsyncIterable<string>,
  talk: TypedTalk,
  quiet: Quiet,
  timeoutMs: number,
): Promise<void> => {
  await quiet.next(timeoutMs)
  if (quiet.isOver) return
  for await (const line of lines) {
    if (line.trim() === '') continue
    console.log(paint('green', `▶ ${harmless(line)}`))
    quiet.asked()
    send(talk, line)
    await quiet.next(timeoutMs)
    if (quiet.isOver) return
  }
  talk.send({ type: 'hangup' })
}

const send = (talk: TypedTalk, line: string): void => {
  const keys = /^\/([0-9*#]+)$/.exec(line)?.[1]
  if (line === '/hangup') return talk.send({ type: 'hangup' })
  if (keys !== undefined) return talk.send({ type: 'dtmf', digits: keys })
  if (line.trim() !== '') talk.send({ type: 'text', text: line })
}

/** Input line of a terminal; everything else is printed above it. Opened on first read, or early input gets lost. */
export class Keyboard {
  readonly #terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: '▶ ' })
  #isOpen = true

  /** Until Ctrl-C or Ctrl-D, or until it is closed. */
  async *lines(): AsyncGenerator<string> {
    this.#terminal.on('close', () => (this.#isOpen = false))
    this.#prompt()
    for await (const line of this.#terminal) {
      yield line
      this.#prompt()
    }
  }

  showAbove(line: string): void {
    process.stdout.write(`\r\u001b[K${line}\n`)
    this.#prompt()
  }

  close(): void {
    this.#terminal.close()
    process.stdout.write('\r\u001b[K')
  }

  /** Throws when the terminal is closed. */
  #prompt(): void {
    if (this.#isOpen) this.#terminal.prompt(true)
  }
}
