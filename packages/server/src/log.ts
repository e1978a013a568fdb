import { pino, type DestinationStream, type Logger } from 'pino'
import { eraseLine, terminalLine } from './terminal-log.ts'

/** One JSON line for each thing worth knowing, on standard error; at a terminal as people read it. */
export const openLog = (level: string): Logger =>
  pino({ level, serializers: { err: briefError } }, process.stderr.isTTY ? terminal : file())

const file = (): DestinationStream => pino.destination({ dest: 2, sync: true })

const terminal: DestinationStream = { write: (json) => void process.stderr.write(eraseLine + terminalLine(json)) }

/** Databases and mail servers put what was at fault, such as a whole row, into further fields of their errors: those are not logged. */
const briefError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name: type, message, stack, cause } = error
  const { code } = error as NodeJS.ErrnoException
  return { type, message, code, stack, ...(cause !== undefined && { cause: briefError(cause) }) }
}
