import { Stack, Text } from '@mantine/core'
import type { OutputOf } from '#api/use-service.ts'
import { Section } from '#parts/page/section.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import type { TimelinePicture } from '../timeline/timeline-book.ts'
import { LabStrip } from './lab-strip.tsx'
import { LabTurns } from './lab-turns.tsx'
import { rowsOf, type LabRow } from './lab-rows.ts'
import { text } from './text.ts'

interface LabReportProps {
  report: OutputOf<'runLab'>
  /** When the assistant spoke. */
  picture: TimelinePicture | undefined
}

/** The variants beside the call as it was: figures, where turns end, and turn by turn. */
export const LabReportSection = ({ report, picture }: LabReportProps) => {
  const say = useText(text)
  const { number } = useFormat()
  const { seconds, truncated, agreement } = report
  const rows = rowsOf(report, say.live)
  return (
    <>
      <Section title={say.report} flush>
        <Stack gap={4} px="lg" py="md">
          <Text size="sm">
            {say.heard(number(seconds, 1))} {truncated && say.truncated}
          </Text>
          {agreement && agreement.turns > 0 && <Text size="sm">{say.agreement(agreement.same, agreement.turns)}</Text>}
          <Text size="sm" c="dimmed">
            {say.explained}
          </Text>
        </Stack>
        <LabTable rows={rows} />
      </Section>
      <Section title={say.strip} description={say.stripHint}>
        <Stack>
          <LabStrip rows={rows} seconds={seconds} picture={picture} />
          {rows.map((row) => (
            <LabTurns key={row.key} row={row} />
          ))}
        </Stack>
      </Section>
    </>
  )
}

const LabTable = ({ rows }: { rows: readonly LabRow[] }) => {
  const say = useText(text)
  const { number } = useFormat()
  const count = (value: number | undefined): string => (value === undefined ? '–' : number(value))
  const columns: Column<LabRow>[] = [
    { key: 'name', header: say.variant, cell: ({ name, isLive }) => (isLive ? <strong>{name}</strong> : name) },
    { key: 'told', header: say.turns, cell: ({ told: notified }) => number(notified), align: 'right' },
    { key: 'splits', header: say.splits, cell: ({ splits }) => count(splits), align: 'right' },
    { key: 'merged', header: say.merged, cell: ({ merged }) => count(merged), align: 'right' },
    { key: 'cut', header: say.cut, cell: ({ falseInterruptions }) => number(falseInterruptions), align: 'right' },
    { key: 'missed', header: say.missed, cell: ({ missed }) => number(missed), align: 'right' },
    {
      key: 'wait',
      header: say.wait,
      cell: ({ meanWaitMs }) => (meanWaitMs === undefined ? '–' : say.ms(number(meanWaitMs))),
      align: 'right',
    },
    {
      key: 'won',
      header: say.won,
      cell: ({ wonMs }) => (wonMs === undefined ? '–' : say.seconds(number(wonMs / 1000, 2))),
      align: 'right',
    },
  ]
  return <List name="lab" label={say.report} rows={rows} columns={columns} rowKey={({ key }) => key} empty={null} />
}
