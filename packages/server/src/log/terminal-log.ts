import { styleText } from 'node:util'

const levels: Record<number, { name: string; style: Parameters<typeof styleText>[0] }> = {
  20: { name: 'debug', style: 'gray' },
  30: { name: 'info', style: 'gray' },
  40: { name: 'warn', style: 'yellow' },
  50: { name: 'error', style: 'red' },
  60: { name: 'fatal', style: 'red' },
}

/** From the beginning of the line, and nothing of what was there is left: a bar may stand in it. */
export const eraseLine = '\r\u001b[K'

/** Of every line the same: nobody at a terminal wants to read it. */
const unsaid = new Set(['level', 'time', 'pid', 'hostname', 'msg'])

interface LogLine {
  level: number
  time: number
  msg?: string
}

/** A line of the log as people read it: when, how bad, what, and the rest as JSON. */
export const terminalLine = (json: string): string => {
  const line = JSON.parse(json) as LogLine
  const { name, style } = levels[line.level] ?? { name: String(line.level), style: 'reset' }
  const rest = Object.entries(line).filter(([field]) => !unsaid.has(field))
  const more = rest.map(([field, value]) => ` ${field}=${JSON.stringify(value)}`).join('')
  const head = `${new Date(line.time).toTimeString().slice(0, 8)} ${name.padEnd(5)} ${line.msg ?? ''}`
  const paint = (how: typeof style, text: string): string => (text === '' ? '' : styleText(how, text, { stream: process.stderr }))
  return `${paint(style, head)}${paint('gray', more)}\n`
}
