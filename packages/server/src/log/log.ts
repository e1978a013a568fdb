import { pino, type DestinationStream, type Logger } from 'pino'
import { logEvents, type Log } from './log-events.ts'
import { styleText } from 'node:util'
import { readFileSync } from 'node:fs'
import { sep } from 'node:path'

interface LogOptions {
  level: string
  /** Whether to log phone numbers and the other fields in `pii`. */
  numbers: boolean
}

/** JSON lines on standard error; readable lines at a terminal. */
export const openLog = (options: LogOptions): Log => logTo(openLogger(options))

/** The catalogue has the level and text of a line. */
export const logTo =
  (logger: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>): Log =>
  (event, fields) => {
    const { level, text } = logEvents[event]
    logger[level]({ event, ...fields }, text)
  }

const openLogger = ({ level, numbers }: LogOptions): Logger => {
  const end = process.stderr.isTTY ? terminal : file()
  const options = { level, serializers: { err: briefError } }
  if (numbers) return pino(options, end)
  return pino({ ...options, redact: { paths: ['pii'], remove: true } }, { write: (json) => end.write(withoutNumbers(json)) })
}

const file = (): DestinationStream => pino.destination({ dest: 2, sync: true })

const terminal: DestinationStream = { write: (json) => void process.stderr.write(eraseLine + terminalLine(json)) }

/** Databases and mail servers put data, such as a whole row, into further fields of their errors: those are not logged. */
const briefError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name: type, message, stack, cause } = error
  const { code } = error as NodeJS.ErrnoException
  return { type, message, code, stack: stack && readableStack(stack), ...(cause !== undefined && { cause: briefError(cause) }) }
}

/** As people and protocols write them: +49 (30) 123-456, 004930123456, 4930123456, sip:110@…; not ids and words with digits. */
const phoneNumber = /\+\d[\d ()./-]{4,24}\d|(?<=\b(?:sips?|tel):)[\d*#]{3,}(?=[@;>"\\\s])|(?<![\w-])\d{8,15}(?![\w-])/g

/** A JSON string; JSON numbers, such as the time of a line, stay. */
const jsonString = /"(?:[^"\\]|\\.)*"/g

/** Removes phone numbers from a log line, also from texts of a carrier, a database or an error. */
export const withoutNumbers = (json: string): string => json.replace(jsonString, (text) => text.replace(phoneNumber, '(number)'))

const levels: Record<number, { name: string; style: Parameters<typeof styleText>[0] }> = {
  20: { name: 'debug', style: 'gray' },
  30: { name: 'info', style: 'gray' },
  40: { name: 'warn', style: 'yellow' },
  50: { name: 'error', style: 'red' },
  60: { name: 'fatal', style: 'red' },
}

/** Clears the line first: a progress bar may be on it. */
export const eraseLine = '\r\u001b[K'

/** Constant fields, or those shown at the start of the line. */
const unsaid = new Set(['level', 'time', 'pid', 'hostname', 'msg'])

interface LogLine {
  level: number
  time: number
  msg?: string
}

/** A readable log line: time, level, text, and the other fields as JSON. */
export const terminalLine = (json: string): string => {
  const line = JSON.parse(json) as LogLine
  const { name, style } = levels[line.level] ?? { name: String(line.level), style: 'reset' }
  const rest = Object.entries(line).filter(([field]) => !unsaid.has(field))
  const more = rest.map(([field, value]) => ` ${field}=${JSON.stringify(value)}`).join('')
  const head = `${new Date(line.time).toTimeString().slice(0, 8)} ${name.padEnd(5)} ${line.msg ?? ''}`
  const paint = (how: typeof style, text: string): string => (text === '' ? '' : styleText(how, text, { stream: process.stderr }))
  return `${paint(style, head)}${paint('gray', more)}\n`
}

/** A bundle consists of few files; a line before the code of each source names it. */
const heading = /^\/\/ ((?:packages|node_modules)\/\S+)$/

/** First lines of the sources in a file, ascending. */
type Origins = readonly { line: number; source: string }[]

const origins = new Map<string, Origins>()

const originsOf = (file: string): Origins => {
  const known = origins.get(file)
  if (known) return known
  const lines = readFileSync(file, 'utf8').split('\n')
  const found = lines.flatMap((text, index) => {
    const source = heading.exec(text)?.[1]
    return source === undefined ? [] : [{ line: index + 1, source }]
  })
  origins.set(file, found)
  return found
}

/** A stack whose lines in the bundle name their source: `at take (packages/server/src/core/…/gate.ts, /…/lib/main.js:5:7)`. */
export const readableStack = (stack: string, folder = import.meta.dirname): string =>
  stack.replaceAll(/(?:file:\/\/)?(\/[^\s():]+\.js):(\d+):\d+/g, (place, file: string, line: string) => {
    if (!file.startsWith(folder + sep)) return place
    const source = sourceAt(file, Number(line))
    return source === undefined ? place : `${source}, ${place}`
  })

const sourceAt = (file: string, line: number): string | undefined => {
  try {
    return originsOf(file).findLast((origin) => origin.line <= line)?.source
  } catch {
    return undefined // an update removed the file
  }
}
