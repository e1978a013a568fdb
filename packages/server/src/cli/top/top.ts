import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@offhook/sdk/client-of.ts'
import { environmentWithFile } from '#settings/config-file.ts'
import { connect, firstRunNotes, inWords, type Connection, type ConnectionOptions } from '../connection/connection.ts'
import { Mistake } from '../terminal/mistake.ts'
import { paint } from '../terminal/paint.ts'
import { untilInterrupted } from '../terminal/until-interrupted.ts'
import { screenOf, type View } from './screen.ts'

export interface TopOptions extends ConnectionOptions {
  /** Seconds between two looks. */
  interval: number
  /** Ends it; default: Ctrl-C. */
  signal?: AbortSignal
}

/** Minutes that the figures cover. */
const minutes = 10
const defaultWidth = 100

/** Shows running calls, processes and trunks. On a terminal it stays and repeats; otherwise it prints one view as plain text. */
export const top = async (options: TopOptions): Promise<void> => {
  const connection = await connectAsOperator(options)
  const first = await look(connection).catch((error: unknown) => {
    throw inWords(error, connection.baseUrl)
  })
  const { stdout } = process
  if (!stdout.isTTY) return console.log(screenOf(first, defaultWidth).join('\n'))
  const signal = options.signal ?? untilInterrupted()
  stdout.write(openScreen)
  try {
    await repeat(connection, first, { intervalMs: options.interval * 1000, signal })
  } finally {
    stdout.write(closeScreen)
  }
}

const connectAsOperator = async ({ token, ...options }: TopOptions): Promise<Connection> => {
  const { operator } = await firstRunNotes()
  const known = token ?? environmentWithFile(process.env)['OFFHOOK_OPERATOR_TOKEN'] ?? operator?.token
  if (known === undefined)
    throw new Mistake(2, 'The operator’s token is needed: --token, OFFHOOK_OPERATOR_TOKEN, or data/first-run.json of the first start.')
  return connect({ ...options, token: known })
}

const look = async ({ api }: Connection): Promise<View> => {
  const [nodes, trunks, metrics] = await Promise.all([api.listNodes(), api.listTrunks(), api.readMetrics({ minutes })])
  return { nodes: nodes.items, trunks: trunks.items, metrics }
}

interface Repeating {
  intervalMs: number
  signal: AbortSignal
}

/** Keeps the last view while the service cannot be reached. */
const repeat = async (connection: Connection, first: View, { intervalMs, signal }: Repeating): Promise<void> => {
  let view = first
  let problem: string | undefined
  while (!signal.aborted) {
    draw(connection.baseUrl, view, problem)
    await sleep(intervalMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    try {
      view = await look(connection)
      problem = undefined
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) throw inWords(error, connection.baseUrl)
      problem = 'cannot be reached, these figures are old; trying again'
    }
  }
}

// The terminal's second screen: what was on the first one comes back at the end.
const openScreen = '\u001b[?1049h\u001b[?25l'
const closeScreen = '\u001b[?25h\u001b[?1049l'
const home = '\u001b[H'
const eraseToLineEnd = '\u001b[K'
const eraseBelow = '\u001b[J'

const draw = (baseUrl: string, view: View, problem: string | undefined): void => {
  // A terminal without a size says 0.
  const columns = process.stdout.columns || defaultWidth
  const rows = process.stdout.rows || Infinity
  const time = new Date().toLocaleTimeString()
  const state = problem === undefined ? '' : ` ${paint('red', problem)}`
  const lines = [`${paint('bold', 'offhook')} ${baseUrl}  ${time}${state}  Ctrl-C ends`, '', ...screenOf(view, columns)]
  process.stdout.write(
    `${home}${lines
      .slice(0, rows - 1)
      .map((line) => `${line}${eraseToLineEnd}\n`)
      .join('')}${eraseBelow}`,
  )
}
