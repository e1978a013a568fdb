/** One kind of log line. */
export interface LogEvent {
  level: 'debug' | 'info' | 'warn' | 'error'
  /** The message of the line; what differs from line to line is in its fields. */
  text: string
  /** What the operator should do about it. */
  action: string
}
