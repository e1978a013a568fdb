/** One kind of log line. */
export interface LogEvent {
  level: 'debug' | 'info' | 'warn' | 'error'
  /** Message of the line; variable parts are in its fields. */
  text: string
  /** Action for the operator. */
  action: string
}
