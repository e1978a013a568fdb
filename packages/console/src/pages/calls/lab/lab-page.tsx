import { useParams } from 'wouter'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { useKeptTimeline } from '../timeline/use-timeline.ts'
import { text } from './text.ts'
import { Stack, Text, Button, Group, MultiSelect, NumberInput } from '@mantine/core'
import { Section } from '#parts/page/section.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import type { TimelinePicture } from '../timeline/timeline-book.ts'
import { LabTurns } from './lab-turns.tsx'
import { rowsOf, type LabRow, speechesOf, voicesOf, type Stretch } from './lab-rows.ts'
import classes from './lab-strip.module.css'
import { useState } from 'react'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { type LabRequest, maxVariants, type Range, type LabForm, untried, type LabWords, variantsOf } from './variants.ts'

/** Simulates a call with other settings of turn taking and interruption. */
export const LabPage = () => {
  const say = useText(text)
  const { callId } = useParams<{ callId: string }>()
  const timeline = useKeptTimeline(callId)
  const lab = useWrite('runLab')
  return (
    <Page title={say.title} description={say.lead} back={{ to: `/calls/${callId}`, label: say.back }}>
      <LabFormSection onRun={(variants) => lab.mutate([{ callId }, { variants }])} pending={lab.isPending} error={lab.error} />
      {lab.data && <LabReportSection report={lab.data} picture={timeline.data} />}
    </Page>
  )
}

interface LabReportProps {
  report: OutputOf<'runLab'>
  /** Speech times of the assistant. */
  picture: TimelinePicture | undefined
}

/** The variants next to the original call: figures, turn ends, and turn by turn. */
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

interface LabStripProps {
  rows: readonly LabRow[]
  seconds: number
  picture: TimelinePicture | undefined
}

/** Minimum pixels per second: a long call is scrolled. */
const pixelsPerSecond = 12

/** Speech of both sides, and below it the turn ends of each variant. The same follows as text. */
export const LabStrip = ({ rows, seconds, picture }: LabStripProps) => {
  const say = useText(text)
  const wholeMs = Math.max(1, seconds * 1000)
  return (
    <div className={classes.frame} tabIndex={0} role="region" aria-label={say.strip}>
      <div className={classes.strip} style={{ minWidth: `${seconds * pixelsPerSecond}px` }} aria-hidden="true">
        <Voices name={say.caller} who="caller" stretches={voicesOf(rows)} wholeMs={wholeMs} />
        <Voices name={say.assistant} who="assistant" stretches={speechesOf(picture)} wholeMs={wholeMs} />
        {rows.map((row) => (
          <Decisions key={row.key} row={row} wholeMs={wholeMs} />
        ))}
      </div>
    </div>
  )
}

const share = (ms: number, wholeMs: number): string => `${Math.min(100, (ms / wholeMs) * 100)}%`

const Voices = ({ name, who, stretches, wholeMs }: { name: string; who: string; stretches: readonly Stretch[]; wholeMs: number }) => (
  <div className={classes.lane}>
    <span className={classes.name}>{name}</span>
    {stretches.map(({ fromMs, toMs }) => (
      <span
        key={fromMs}
        className={classes.voice}
        data-who={who}
        style={{ left: share(fromMs, wholeMs), width: share(toMs - fromMs, wholeMs) }}
      />
    ))}
  </div>
)

const Decisions = ({ row: { name, turns, interruptions }, wholeMs }: { row: LabRow; wholeMs: number }) => (
  <div className={classes.lane}>
    <span className={classes.name}>{name}</span>
    {turns.map(({ startMs, endMs }) => (
      <span
        key={`turn ${startMs}`}
        className={classes.turn}
        style={{ left: share(startMs, wholeMs), width: share(endMs - startMs, wholeMs) }}
      />
    ))}
    {turns.map(({ decidedMs, outcome }) => (
      <span key={`end ${decidedMs}`} className={classes.end} data-outcome={outcome} style={{ left: share(decidedMs, wholeMs) }} />
    ))}
    {interruptions.map(({ atMs, false: isFalse = false }) => (
      <span key={`cut ${atMs}`} className={classes.cut} data-false={isFalse} style={{ left: share(atMs, wholeMs) }} />
    ))}
  </div>
)

interface LabFormSectionProps {
  onRun: (variants: LabRequest['variants']) => void
  pending: boolean
  error: unknown
}

/** Settings to try with the recording. */
export const LabFormSection = ({ onRun, pending, error }: LabFormSectionProps) => {
  const say = useText(text)
  const [form, setForm] = useState<LabForm>(untried)
  const put = (part: Partial<LabForm>): void => setForm({ ...form, ...part })
  const variants = variantsOf(form, useLabWords())
  const isTooMany = variants.length > maxVariants
  return (
    <Section title={say.settings} description={say.settingsHint}>
      <Stack>
        <RangeFields label={say.silence} min={150} max={2000} range={form.silence} onChange={(silence) => put({ silence })} />
        <MultiSelect
          label={say.turnTakings}
          data={Object.entries(say.turnTaking).map(([value, label]) => ({ value, label }))}
          clearable
          value={form.turnTakings}
          onChange={(turnTakings) => put({ turnTakings })}
        />
        <MultiSelect
          label={say.strategies}
          data={Object.entries(say.strategy).map(([value, label]) => ({ value, label }))}
          clearable
          value={form.strategies}
          onChange={(strategies) => put({ strategies })}
        />
        <RangeFields label={say.allowAfter} min={0} max={10_000} range={form.allowAfter} onChange={(allowAfter) => put({ allowAfter })} />
        <ErrorNotice error={error} />
        {isTooMany && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {say.tooMany(maxVariants)}
          </Text>
        )}
        <Group>
          <Button
            loading={pending}
            disabled={variants.length === 0 || isTooMany}
            leftSection={<Icon name="play" size={16} />}
            onClick={() => onRun(variants)}
          >
            {say.run(variants.length)}
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {pending && say.running}
          </Text>
        </Group>
      </Stack>
    </Section>
  )
}

/** Names of variants, in the language of the page. */
const useLabWords = (): LabWords => {
  const say = useText(text)
  const { number } = useFormat()
  const named = (names: Readonly<Record<string, string>>) => (name: string) => names[name] ?? name
  return {
    silence: (ms) => say.nameSilence(number(ms)),
    allowAfter: (ms) => say.nameAllowAfter(number(ms)),
    turnTaking: named(say.turnTaking),
    strategy: named(say.strategy),
  }
}

interface RangeFieldsProps {
  label: string
  min: number
  max: number
  range: Range
  onChange: (range: Range) => void
}

/** One number, or a range. */
const RangeFields = ({ label, min, max, range, onChange }: RangeFieldsProps) => {
  const say = useText(text)
  const field = (name: keyof Range) => ({
    label: say[name],
    'aria-label': `${label}: ${say[name]}`,
    w: '9rem',
    max,
    step: 50,
    value: range[name],
    onChange: (value: number | string) => onChange({ ...range, [name]: typeof value === 'number' ? value : '' }),
  })
  return (
    <div role="group" aria-label={label}>
      <Text size="sm" fw={550}>
        {label}
      </Text>
      <Group gap="xs">
        <NumberInput min={min} {...field('from')} />
        <NumberInput min={min} {...field('to')} />
        <NumberInput min={10} {...field('step')} />
      </Group>
    </div>
  )
}
