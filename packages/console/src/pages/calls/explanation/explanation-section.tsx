import { Stack, Text, Title, Button, Group, Anchor } from '@mantine/core'
import { lazy, Suspense, useState, type ReactNode } from 'react'
import { useRead } from '#api/use-service.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useLanguage, useText } from '#words/use-text.tsx'
import type { TimelinePicture } from '../timeline/timeline-book.ts'
import { text } from './text.ts'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { text as labText } from '../lab/text.ts'
import { text as replayText } from '../replay/text.ts'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { text as timelineText } from '../timeline/text.ts'
import classes from './explanation.module.css'
import { useFormat } from '#parts/value/use-format.ts'
import { Swatch, TurnBar } from '../timeline/turn-bar.tsx'
import { type ExplainedTurn, type Finding, waitSteps, type WaitStep, sharesOf, waitsOf, waitedMs } from './waits.ts'

const tones = { info: 'quiet', warning: 'warning', error: 'bad' } as const

/** Maximum linked entries per finding; the rest is next to them in the timeline. */
const maxEvidence = 4

interface FindingsProps {
  findings: readonly Finding[]
  picture: TimelinePicture
  onEvidence: (sequence: number) => void
}

/** Findings of a call, worst first. */
const Findings = ({ findings, picture, onEvidence }: FindingsProps) => {
  const say = useText(text)
  if (findings.length === 0) return <Text c="dimmed">{say.nothing}</Text>
  return (
    <ul className={classes.list} aria-label={say.findings}>
      {findings.map((finding) => (
        <li key={`${finding.code} ${finding.turn ?? ''} ${finding.evidence.join()}`} className={classes.finding}>
          <Group gap="xs">
            <StatusBadge tone={tones[finding.severity]}>{say.severities[finding.severity]}</StatusBadge>
            {finding.turn !== undefined && (
              <Text size="xs" c="dimmed">
                {say.inTurn(finding.turn)}
              </Text>
            )}
          </Group>
          <Text size="sm">{finding.text}</Text>
          {finding.advice !== undefined && (
            <Text size="sm" c="dimmed">
              {finding.advice}
            </Text>
          )}
          <Evidence entries={entriesOf(finding, picture)} startedAt={picture.startedAt} onEvidence={onEvidence} />
        </li>
      ))}
    </ul>
  )
}

/** Entries too old to be kept on the page cannot be opened. */
const entriesOf = ({ evidence }: Finding, { entries }: TimelinePicture): TimelineEntry[] =>
  evidence.flatMap((sequence) => entries.find((entry) => entry.sequence === sequence) ?? []).slice(0, maxEvidence)

type EvidenceProps = { entries: readonly TimelineEntry[]; startedAt: number | undefined } & Pick<FindingsProps, 'onEvidence'>

const Evidence = ({ entries, startedAt = 0, onEvidence }: EvidenceProps) => {
  const say = useText(text)
  const { kinds, seconds } = useText(timelineText)
  if (entries.length === 0) return null
  return (
    <Group gap="xs" component="span">
      <Text size="xs" c="dimmed" span>
        {say.evidence}
      </Text>
      {entries.map(({ sequence, kind, at }) => {
        const what = `${kinds[kind]} · ${seconds((at - startedAt) / 1000)}`
        return (
          <Anchor
            key={sequence}
            component="button"
            type="button"
            size="xs"
            aria-label={say.showEntry(what)}
            onClick={() => onEvidence(sequence)}
          >
            {what}
          </Anchor>
        )
      })}
    </Group>
  )
}

const PinModal = lazy(() => import('../replay/pin-modal.tsx').then((part) => ({ default: part.PinModal })))

interface NextStepsProps {
  flowId: string
  callId: string
  /** Only recorded calls can be replayed in the lab. */
  isRecorded: boolean
  isReplaying: boolean
  onReplay: () => void
}

/** Further actions for a call of an assistant. */
const NextSteps = ({ flowId, callId, isRecorded, isReplaying, onReplay }: NextStepsProps) => {
  const say = useText(text)
  const sayReplay = useText(replayText)
  const sayLab = useText(labText)
  const may = useMay()('CAN_CHANGE_FLOWS')
  const [isPinning, setPinning] = useState(false)
  return (
    <Group gap="xs">
      {may && (
        <>
          <Button leftSection={<Icon name="check" size={16} />} onClick={() => setPinning(true)}>
            {sayReplay.pin}
          </Button>
          <Button variant="default" aria-expanded={isReplaying} leftSection={<Icon name="refresh" size={16} />} onClick={onReplay}>
            {sayReplay.replay}
          </Button>
        </>
      )}
      {isRecorded && (
        <Button component={Link} href={`/calls/${callId}/lab`} variant="default" leftSection={<Icon name="wave" size={16} />}>
          {sayLab.open}
        </Button>
      )}
      <Button component={Link} href={`/flows/${flowId}`} variant="default" leftSection={<Icon name="settings" size={16} />}>
        {say.toFlow}
      </Button>
      <Suspense>{isPinning && <PinModal flowId={flowId} callId={callId} onClose={() => setPinning(false)} />}</Suspense>
    </Group>
  )
}

/** Number of initially drawn turns; the rest on demand. */
const pageSize = 20

/** Turn by turn: the words, and the causes of the wait. */
const TurnWaits = ({ turns }: { turns: readonly ExplainedTurn[] }) => {
  const say = useText(text)
  const [max, setMax] = useState(pageSize)
  const maxLength = Math.max(1, ...turns.map(waitedMs))
  const hidden = Math.max(0, turns.length - max)
  return (
    <>
      <Legend turns={turns} />
      <ol className={classes.list} aria-label={say.turns}>
        {turns.slice(0, max).map((turn) => (
          <TurnWait key={turn.turn} turn={turn} maxLength={maxLength} />
        ))}
      </ol>
      {hidden > 0 && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setMax(max + pageSize)}>
          {say.moreTurns(Math.min(hidden, pageSize))}
        </Button>
      )}
    </>
  )
}

/** Only existing steps: not every endpoint reports its model. */
const Legend = ({ turns }: { turns: readonly ExplainedTurn[] }) => {
  const say = useText(text)
  const known = new Set(turns.flatMap((turn) => sharesOf(turn).map(({ step }) => step)))
  return (
    <div className={classes.legend}>
      <Text size="xs" c="dimmed">
        {say.turnsNote}
      </Text>
      {waitSteps
        .filter((step) => known.has(step))
        .map((step) => (
          <span key={step}>
            <Swatch step={step} /> <strong>{say.steps[step]}</strong> {say.stepHints[step]}
          </span>
        ))}
    </div>
  )
}

const TurnWait = ({ turn, maxLength }: { turn: ExplainedTurn; maxLength: number }) => {
  const say = useText(text)
  const { number } = useFormat()
  const waits = waitsOf(turn)
  const share = (step: WaitStep, ms: number): string =>
    `${say.share(say.steps[step], number(ms))}${step === turn.slowest ? ` (${say.slowest})` : ''}`
  return (
    <li className={classes.turn}>
      <div className={classes.head}>
        <strong>{say.inTurn(turn.turn)}</strong>
        <span className={classes.total}>{waits.length === 0 ? say.noWait : say.waited(number(waitedMs(turn)))}</span>
      </div>
      <Said who={say.caller} words={turn.caller} mark={turn.rule && say.rules[turn.rule]} />
      {waits.length > 0 && <TurnBar times={waits} maxLength={maxLength} />}
      <Text size="xs" c="dimmed">
        {sharesOf(turn)
          .map(({ step, ms }) => share(step, ms))
          .join(' · ')}
      </Text>
      <Said who={say.assistant} words={turn.assistant} mark={turn.cut && say.cut} />
    </li>
  )
}

const Said = ({ who, words, mark }: { who: string; words: string | undefined; mark: string | undefined }) => {
  if (words === undefined) return null
  return (
    <Text size="sm" className={classes.said}>
      <Text span inherit c="dimmed">
        {who}:
      </Text>{' '}
      {words}
      {mark !== undefined && (
        <Text span size="xs" c="dimmed">
          {' '}
          ({mark})
        </Text>
      )}
    </Text>
  )
}

const ReplaySection = lazy(() => import('../replay/replay-section.tsx').then((part) => ({ default: part.ReplaySection })))

interface ExplanationSectionProps {
  callId: string
  /** The timeline that findings refer to. */
  picture: TimelinePicture
  /** Opens an entry of the timeline, by its sequence. */
  onEvidence: (sequence: number) => void
}

/** Explains a call in words, with remedies. */
export const ExplanationSection = ({ callId, picture, onEvidence }: ExplanationSectionProps) => {
  const say = useText(text)
  const { language } = useLanguage()
  const explanation = useRead('explainCall', { callId, language })
  const [isReplaying, setReplaying] = useState(false)
  const flowId = explanation.data?.flowId
  return (
    <>
      <Section title={say.title}>
        <Loaded query={explanation}>
          {({ outcome, findings, turns }) => (
            <Stack gap="lg">
              <Text>{outcome}</Text>
              <Part title={say.findings}>
                <Findings findings={findings} picture={picture} onEvidence={onEvidence} />
              </Part>
              {turns.length > 0 && (
                <Part title={say.turns}>
                  <TurnWaits turns={turns} />
                </Part>
              )}
              {flowId !== undefined && (
                <Part title={say.next}>
                  <NextSteps
                    flowId={flowId}
                    callId={callId}
                    isRecorded={picture.entries.some((entry) => entry.kind === 'call' && entry.state === 'recording')}
                    isReplaying={isReplaying}
                    onReplay={() => setReplaying(!isReplaying)}
                  />
                </Part>
              )}
            </Stack>
          )}
        </Loaded>
      </Section>
      <Suspense>{isReplaying && flowId !== undefined && <ReplaySection flowId={flowId} callId={callId} />}</Suspense>
    </>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <Title order={3} mb="xs">
      {title}
    </Title>
    {children}
  </div>
)
