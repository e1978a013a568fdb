import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { Facts } from '#parts/value/facts.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { useNow } from '#lazy-parts/use-now.ts'
import { CallControls, HangUp } from './call-controls.tsx'
import { callEntryOf } from '../parts/history-entry.ts'
import { CallBadges } from './running-calls.tsx'
import { text } from '../parts/text.ts'
import { TimelineView } from '../timeline/timeline-view.tsx'
import { useLiveTimeline } from '../timeline/use-timeline.ts'
import { useCallNames } from './use-call-names.ts'
import type { RunningCall } from './use-running-calls.ts'

/** A call that is going on, or was until a moment ago. */
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
