import type { Explanation } from '@offhook/contract/v2/explanation.ts'
import { chooseCall } from './connection/choose-call.ts'
import { connect, inWords, type ConnectionOptions } from './connection/connection.ts'
import { harmless, paint } from './terminal/paint.ts'

export interface ExplainOptions extends ConnectionOptions {
  json?: boolean
  language?: 'de' | 'en'
}

/** Explains a call: the transcript with the times of each turn, then anomalies, worst first. */
export const explain = async (call: string, options: ExplainOptions): Promise<void> => {
  const connection = await connect(options)
  try {
    const callId = await chooseCall(connection, call)
    const language = options.language === undefined ? {} : { language: options.language }
    const explanation = await connection.api.explainCall({ callId, ...language })
    console.log(options.json === true ? JSON.stringify(explanation, undefined, 2) : linesOf(explanation).join('\n'))
  } catch (error) {
    throw inWords(error, connection.baseUrl)
  }
}

const linesOf = ({ callId, outcome, turns, findings }: Explanation): string[] => [
  `${paint('bold', outcome)} ${paint('gray', callId)}`,
  ...turns.flatMap(turnLines),
  ...(findings.length === 0 ? [] : ['']),
  ...findings.flatMap(findingLines),
]

type Turn = Explanation['turns'][number]

const turnLines = ({ turn, caller, assistant, cut, rule, ms, slowest }: Turn): string[] => {
  const times = Object.entries(ms).map(([part, time]) => {
    const shown = `${part} ${time}`
    return part === slowest && time > 0 ? paint('yellow', shown) : paint('gray', shown)
  })
  const ending = rule === undefined ? '' : paint('gray', ` (${rule})`)
  return [
    ...(caller === undefined ? [] : [`${String(turn).padStart(3)} ${paint('green', `▶ ${harmless(caller)}`)}${ending}`]),
    ...(assistant === undefined ? [] : [`    ${paint('blue', `◀ ${harmless(assistant)}${cut ? ' …' : ''}`)}`]),
    ...(times.length === 0 ? [] : [`      ${times.join(paint('gray', ' · '))} ${paint('gray', 'ms')}`]),
  ]
}

const marks = { error: ['red', '✖'], warning: ['yellow', '!'], info: ['gray', '·'] } as const

const findingLines = ({ code, severity, turn, text, advice, evidence }: Explanation['findings'][number]): string[] => {
  const [colour, mark] = marks[severity]
  const where = [...(turn === undefined ? [] : [`turn ${turn}`]), code, `#${evidence.join(' #')}`].join(', ')
  return [
    `${paint(colour, `${mark} ${harmless(text)}`)} ${paint('gray', `(${where})`)}`,
    ...(advice === undefined ? [] : [`    ${harmless(advice)}`]),
  ]
}
