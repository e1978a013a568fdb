import { Button, Alert, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { ExplainedTimeline } from './history/call-story.tsx'
import { EntryFrame } from './entry-page.tsx'
import { callEntryOf } from './parts/history-entry.ts'
import { text } from './parts/text.ts'
import { useKeptTimeline, useLiveTimeline } from './timeline/use-timeline.ts'
import { useRunningCalls, type RunningCall } from './running/use-running-calls.ts'
import { Facts } from '#parts/value/facts.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useNow } from '#lazy-parts/use-now.ts'
import { CallControls, HangUp } from './running/call-controls.tsx'
import { CallBadges } from './running/running-calls.tsx'
import { TimelineView } from './timeline/timeline-view.tsx'
import { useCallNames } from './running/use-call-names.ts'

/** A call by its id: with its controls while it lasts, afterwards as a history entry. */
export const CallPage = () => {
  const { callId } = useParams<{ callId: string }>()
  const say = useText(text)
  const may = useMay()
  const calls = useRunningCalls()
  const running = calls.data?.data.find((call) => call.callId === callId)
  // A call that ends while it is watched stays on the page.
  const [seen, setSeen] = useState<RunningCall>()
  if (running && running !== seen) setSeen(running)
  if (seen) return <LiveCall call={seen} isOver={running === undefined} />
  if (calls.isPending && may('CAN_CONTROL_CALLS'))
    return (
      <Page title={say.call} back={{ to: '/calls', label: say.backToCalls }}>
        <WaitingRows />
      </Page>
    )
  return <FinishedCall callId={callId} />
}

const FinishedCall = ({ callId }: { callId: string }) => {
  const say = useText(text)
  const history = useRead('listOwnHistory', { callId })
  const timeline = useKeptTimeline(history.data ? callId : undefined)
  const entry = callEntryOf(history.data?.items)
  if (entry) return <EntryFrame entry={entry} />
  const isUnknown = timeline.error?.status === 404
  return (
    <Page title={say.call} back={{ to: '/calls', label: say.backToCalls }}>
      {isUnknown ? <NoCall /> : <ExplainedTimeline callId={callId} timeline={timeline} />}
    </Page>
  )
}

const NoCall = () => {
  const say = useText(text)
  return (
    <Section>
      <EmptyState
        icon="phone"
        title={say.notFoundTitle}
        action={
          <Button component={Link} href="/calls" variant="default">
            {say.backToCalls}
          </Button>
        }
      >
        {say.notFoundBody}
      </EmptyState>
    </Section>
  )
}

/** A running call, or one that has just ended. */
export const LiveCall = ({ call, isOver }: { call: RunningCall; isOver: boolean }) => {
  const say = useText(text)
  const { duration } = useFormat()
  const names = useCallNames()
  const may = useMay()
  const { picture, feed } = useLiveTimeline(may('CAN_GET_HISTORY') ? call.callId : undefined)
  const now = useNow(!isOver)
  const { answeredAt, ended } = picture
  return (
    <Page
      title={say.callWith([names.others(call), names.own(call)].filter(Boolean).join(' · '))}
      back={{ to: '/calls', label: say.backToCalls }}
      actions={isOver ? undefined : <HangUp call={call} />}
    >
      <Section title={isOver ? say.over : say.control} actions={isOver ? undefined : <CallBadges call={call} />}>
        <Stack>
          <Facts
            across
            facts={[
              [say.participants, <Participants key="who" call={call} />],
              [say.duration, answeredAt === undefined ? undefined : duration((ended?.at ?? now) - answeredAt)],
            ]}
          />
          {isOver ? <Over callId={call.callId} explanation={ended?.explanation} /> : <CallControls call={call} />}
        </Stack>
      </Section>
      {may('CAN_GET_HISTORY') && (
        <Section title={isOver ? say.happened : say.timeline} flush>
          <TimelineView picture={picture} {...(!isOver && { feed })} />
        </Section>
      )}
    </Page>
  )
}

const Participants = ({ call: { participants } }: { call: RunningCall }) => {
  const say = useText(text)
  const { nameOf } = useCallNames()
  return (
    <Group gap="4px 16px">
      {participants.map((participant) => (
        <span key={participant.participantId}>
          {[
            nameOf(participant),
            participant.owner && `(${say.own})`,
            participant.hold && `· ${say.held}`,
            participant.muted && `· ${say.muted}`,
          ]
            .filter(Boolean)
            .join(' ')}
        </span>
      ))}
    </Group>
  )
}

const Over = ({ callId, explanation }: { callId: string; explanation: string | undefined }) => {
  const say = useText(text)
  const history = useRead('listOwnHistory', { callId }, { every: 2_000 })
  const entry = callEntryOf(history.data?.items)
  return (
    <Alert color="gray" role="status">
      {explanation !== undefined && <Text size="sm">{explanation}</Text>}
      {entry ? (
        <Button component={Link} href={`/calls/history/${entry.id}`} size="xs" variant="default" mt="xs">
          {say.toEntry}
        </Button>
      ) : (
        <Text size="sm">{say.overBody}</Text>
      )}
    </Alert>
  )
}
