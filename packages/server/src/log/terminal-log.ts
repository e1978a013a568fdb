import { styleText } from 'node:util'

const levels: Record<number, { name: string; style: Parameters<typeof styleText>[0] }> = {
  20: { name: 'debug', style: 'gray' },
  30: { name: 'info', style: 'gray' },
  40: { name: 'warn', style: 'yellow' },
  50: { name: 'error', style: 'red' },
  60: { name: 'fatal', style: 'red' },
}

/** Clears the line first: a progress bar may stand in it. */
export const eraseLine = '\r\u001b[K'

/** The same in every line, or shown in the head of the line. */
const unsaid = new Set(['level', 'time', 'pid', 'hostname', 'msg'])

interface LogLine {
  level: number
  time: number
  msg?: string
}

/** A log line for people: time, level, text, and the other fields as JSON. */
export const terminalLine = (json: string): string => {
  const line = JSON.parse(json) as LogLine
  const { name, style } = levels[line.level] ?? { name: String(line.level), style: 'reset' }
  const rest = Object.entries(line).filter(([field]) => !unsaid.has(field))
  const more = rest.map(([field, value]) => ` ${field}=${JSON.stringify(value)}`).join('')
  const head = `${new Date(line.time).toTimeString().slice(0, 8)} ${name.padEnd(5)} ${line.msg ?? ''}`
  const paint = (how: typeof style, text: string): string => (text === '' ? '' : styleText(how, text, { stream: process.stderr }))
  return `${paint(style, head)}${paint('gray', more)}\n`
}
