import type { LabReport, LabVariant } from '@offhook/contract/v2/lab.ts'
import { harmless, paint } from '../terminal/paint.ts'

/** A readable report: actual and simulated results. */
export const linesOf = (report: LabReport): string[] => [
  ...headLines(report),
  '',
  ...tableOf(report.variants),
  '',
  ...report.variants.map((variant) => `${paint('bold', harmless(variant.name))}: ${inWords(variant)}`),
]

const headLines = ({ seconds, truncated, live, agreement, callId }: LabReport): string[] => [
  `${seconds} seconds were listened to${truncated ? ', the rest was too long' : ''}. ${paint('gray', callId ?? '')}`,
  ...(live
    ? [
        `In the call: ${counted(live.told, 'turn')}, ${counted(live.interruptions.length, 'interruption')}${live.meanWaitMs === undefined ? '' : `, ${live.meanWaitMs} ms until a turn was over`}.`,
      ]
    : []),
  ...(agreement
    ? [
        `With the settings of the flow the lab finds ${agreement.same} of the ${counted(agreement.turns, 'turn')} of the call where they were${agreement.same * 10 < agreement.turns * 9 ? ': do not believe it too much' : ''}.`,
      ]
    : []),
]

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const columns: [title: string, value: (variant: LabVariant) => string][] = [
  ['variant', ({ name }) => harmless(name)],
  ['turns', ({ told: notified }) => String(notified)],
  ['splits', ({ splits }) => String(splits)],
  ['merged', ({ merged }) => String(merged)],
  ['interruptions', ({ interruptions }) => String(interruptions.length)],
  ['false', ({ falseInterruptions }) => String(falseInterruptions)],
  ['missed', ({ missed }) => String(missed)],
  ['wait ms', ({ meanWaitMs }) => (meanWaitMs === undefined ? '–' : String(meanWaitMs))],
  ['won s', ({ wonMs }) => (wonMs === undefined ? '–' : (wonMs / 1000).toFixed(2))],
  ['precision', ({ precision }) => precision?.toFixed(3) ?? '–'],
  ['recall', ({ recall }) => recall?.toFixed(3) ?? '–'],
]

const tableOf = (variants: readonly LabVariant[]): string[] => {
  const rows = [columns.map(([title]) => title), ...variants.map((variant) => columns.map(([, value]) => value(variant)))]
  const shown = columns.map((_, nth) => nth < 9 || rows.slice(1).some((row) => row[nth] !== '–'))
  const widths = columns.map((_, nth) => Math.max(...rows.map((row) => row[nth]?.length ?? 0)))
  return rows.map((row, line) => {
    const text = row
      .flatMap((cell, nth) => (shown[nth] ? [nth === 0 ? cell.padEnd(widths[nth]!) : cell.padStart(widths[nth]!)] : []))
      .join('  ')
    return line === 0 ? paint('gray', text) : text
  })
}

/** Differences in one sentence. */
const inWords = ({ told: notified, splits, merged, falseInterruptions, missed, wonMs }: LabVariant): string => {
  const parts = [
    `would have made ${counted(notified, 'turn')} of it`,
    ...(splits > 0 ? [`would have cut callers off ${splits === 1 ? 'once' : `${splits} times`}`] : []),
    ...(merged > 0 ? [`would have waited through ${counted(merged, 'end')}`] : []),
    ...(falseInterruptions > 0
      ? [`would have stopped for nothing ${falseInterruptions === 1 ? 'once' : `${falseInterruptions} times`}`]
      : []),
    ...(missed > 0 ? [`would have talked over ${counted(missed, 'turn')}`] : []),
    ...(wonMs === undefined || wonMs === 0 ? [] : [`would have answered ${Math.abs(wonMs)} ms ${wonMs > 0 ? 'sooner' : 'later'}`]),
  ]
  return `${parts.join(', ')}.`
}
