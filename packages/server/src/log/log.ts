import { pino, type DestinationStream, type Logger } from 'pino'
import { logEvents, type Log } from './log-events.ts'
import { withoutNumbers } from './log-numbers.ts'
import { readableStack } from './stack.ts'
import { eraseLine, terminalLine } from './terminal-log.ts'

interface LogOptions {
  level: string
  /** Phone numbers and the other fields in `pii` are logged, too. */
  numbers: boolean
}

/** JSON lines on standard error; at a terminal lines for people. */
export const openLog = (options: LogOptions): Log => logTo(openLogger(options))

/** Level and text of a line stand in the catalogue. */
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
