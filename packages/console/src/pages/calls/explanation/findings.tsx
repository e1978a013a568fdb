import { Anchor, Group, Text } from '@mantine/core'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import type { TimelinePicture } from '../timeline/timeline-book.ts'
import { text as timelineText } from '../timeline/text.ts'
import classes from './explanation.module.css'
import { text } from './text.ts'
import type { Finding } from './waits.ts'

const tones = { info: 'quiet', warning: 'warning', error: 'bad' } as const

/** How many entries one finding leads to; the rest is beside them in the timeline. */
const maxEvidence = 4

export interface FindingsProps {
  findings: readonly Finding[]
  picture: TimelinePicture
  onEvidence: (sequence: number) => void
}

/** What was found in a call, the worst first. */
export const Findings = ({ findings, picture, onEvidence }: FindingsProps) => {
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

/** What is too old to be kept on the page cannot be opened either. */
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
