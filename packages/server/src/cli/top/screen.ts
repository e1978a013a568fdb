import type { operations } from '@offhook/contract'
import type { Static } from 'typebox'
import { harmless, paint } from '../terminal/paint.ts'

type ReplyOf<Id extends 'listNodes' | 'listTrunks' | 'readMetrics'> = Static<(typeof operations)[Id]['reply']>
type ClusterNode = ReplyOf<'listNodes'>['items'][number]
type Trunk = ReplyOf<'listTrunks'>['items'][number]
type Metrics = ReplyOf<'readMetrics'>

/** What the operator's interface says at one moment. */
export interface View {
  nodes: readonly ClusterNode[]
  trunks: readonly Trunk[]
  metrics: Metrics
}

/** Lines of the screen, at most `width` characters each. */
export const screenOf = ({ nodes, trunks, metrics }: View, width: number): string[] =>
  [
    ...summary(nodes, metrics),
    '',
    labelled('calls running', chart(metrics, width - labelWidth)),
    '',
    ...nodeTable(nodes),
    ...(trunks.length > 0 ? ['', ...trunkTable(trunks)] : []),
  ].map((line) => cut(line, width))

const labelWidth = 15

const summary = (nodes: readonly ClusterNode[], { stepSeconds, whole, points }: Metrics): string[] => {
  const total = (of: (node: ClusterNode) => number): number => nodes.reduce((sum, node) => sum + of(node), 0)
  const last = points.at(-1)
  const perSecond = last ? last.turns / stepSeconds : 0
  const minutes = Math.round((points.length * stepSeconds) / 60)
  const now = [
    ['calls', total(({ calls }) => calls)],
    ['assistants', total(({ sessions }) => sessions)],
    ['faxes', total(({ faxes }) => faxes)],
    ['turns/s', perSecond.toFixed(1)],
  ]
  const lately = [
    ['started', whole.callsStarted],
    ['answered', whole.callsAnswered],
    ['failed', whole.callsFailed],
  ]
  const line = (pairs: (string | number)[][]): string => pairs.map(([name, value]) => `${name} ${value}`).join('   ')
  return [
    labelled('now', line(now)),
    labelled(`last ${minutes} min`, line(lately)),
    labelled('set-up', spread(whole.setUpMs)),
    labelled('response', spread(whole.turnMs)),
  ]
}

const labelled = (label: string, value: string): string => `${label.padEnd(labelWidth)}${value}`

const spread = (durations: { p50: number; p95: number } | undefined): string =>
  durations ? `median ${ms(durations.p50)}   slowest 5 % from ${ms(durations.p95)}` : '–'

const ms = (value: number): string => (value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(1)} s`)

const bars = '▁▂▃▄▅▆▇█'

/** One character for each point, the latest on the right. */
const chart = ({ points }: Metrics, width: number): string => {
  const shown = points.slice(-Math.max(1, width - 12)).map(({ callsRunning }) => callsRunning)
  const most = Math.max(1, ...shown)
  const bar = (value: number): string => (value === 0 ? ' ' : (bars[Math.ceil((value / most) * bars.length) - 1] ?? ' '))
  return `${shown.map(bar).join('')} at most ${Math.max(0, ...shown)}`
}

const stateColours = { RUNNING: 'green', DRAINING: 'yellow', DRAINED: 'yellow', STOPPING: 'yellow', GONE: 'red' } as const

const nodeTable = (nodes: readonly ClusterNode[]): string[] => {
  const head = ['process', 'state', 'calls', 'assistants', 'processors', 'main', 'memory', 'version']
  const rows = nodes.map(({ name, state, bus, calls, sessions, load, version }) => [
    harmless(name),
    `${state.toLowerCase()}${bus === 'away' || bus === 'missing' ? `, bus ${bus}` : ''}`,
    String(calls),
    String(sessions),
    load.processors.toFixed(2),
    `${Math.round(load.busy * 100)} %`,
    `${Math.round(load.memoryBytes / 1024 / 1024)} MB`,
    version,
  ])
  return table(head, rows, (row) => stateColours[nodes[row]?.state ?? 'GONE'])
}

const trunkTable = (trunks: readonly Trunk[]): string[] => {
  const head = ['trunk', 'state', 'calls', 'problem']
  const rows = trunks.map(({ name, active, maxCalls, state }) => [
    harmless(name),
    active ? (state?.usable === true ? 'usable' : 'unusable') : 'off',
    `${state?.calls ?? 0}${maxCalls > 0 ? ` of ${maxCalls}` : ''}`,
    harmless(state?.problem ?? ''),
  ])
  return table(head, rows, (row) => {
    const trunk = trunks[row]
    return trunk?.active === false ? 'gray' : trunk?.state?.usable === true ? 'green' : 'red'
  })
}

type Colour = 'green' | 'yellow' | 'red' | 'gray'

/** The second column has a colour. */
const table = (head: readonly string[], rows: readonly (readonly string[])[], colourOf: (row: number) => Colour): string[] => {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const lineOf = (cells: readonly string[], colour?: Colour): string =>
    cells
      .map((cell, column) => {
        const padded = column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)
        return column === 1 && colour ? paint(colour, padded) : padded
      })
      .join('  ')
      .trimEnd()
  return [paint('bold', lineOf(head)), ...rows.map((row, index) => lineOf(row, colourOf(index)))]
}

// oxlint-disable-next-line no-control-regex -- colours take no place
const colours = /\u001b\[\d+m/g

/** Lines with colours are left alone when they fit without them. */
const cut = (line: string, width: number): string => {
  const plain = line.replaceAll(colours, '')
  return plain.length <= width ? line : `${plain.slice(0, Math.max(0, width - 1))}…`
}
