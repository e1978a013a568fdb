import { pino, type Logger } from 'pino'

/** One JSON line for each thing worth knowing, on standard error. */
export const openLog = (level: string): Logger =>
  pino({ level, serializers: { err: briefError } }, pino.destination({ dest: 2, sync: true }))

/** Databases and mail servers put what was at fault, such as a whole row, into further fields of their errors: those are not logged. */
const briefError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name: type, message, stack, cause } = error
  const { code } = error as NodeJS.ErrnoException
  return { type, message, code, stack, ...(cause !== undefined && { cause: briefError(cause) }) }
}
