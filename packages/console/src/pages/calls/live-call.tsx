import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useMay } from '../../api/use-may.ts'
import { useRead } from '../../api/use-service.ts'
import { Facts } from '../../parts/facts.tsx'
import { Page } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { useText } from '../../words/use-text.tsx'
import { useNow } from '../talk/phone-state.tsx'
import { CallControls } from './call-controls.tsx'
import { callEntryOf } from './history-entry.ts'
import { CallBadges } from './running-calls.tsx'
import { text } from './text.ts'
import { TimelineView } from './timeline/timeline-view.tsx'
import { useLiveTimeline } from './timeline/use-timeline.ts'
import { nameOfCall, type RunningCall } from './use-running-calls.ts'

/** A call that is going on, or was until a moment ago. */
export const LiveCall = ({ call, isOver }: { call: RunningCall; isOver: boolean }) => {
  const say = useText(text)
  const { phone, duration } = useFormat()
  const may = useMay()
  const { picture, feed } = useLiveTimeline(may('CAN_GET_HISTORY') ? call.callId : undefined)
  const now = useNow(!isOver)
  const { answeredAt, ended } = picture
  return (
    <Page title={say.callWith(nameOfCall(call, say.withheld, phone))} back={{ to: '/calls', label: say.backToCalls }}>
      <Section title={isOver ? say.over : say.control} actions={isOver ? undefined : <CallBadges call={call} />}>
        <Stack>
          <Facts
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
  const { phone } = useFormat()
  return (
    <Group gap="md">
      {participants.map(({ participantId, phoneNumber, owner, hold, muted }) => (
        <span key={participantId}>
          {[
            phoneNumber === '' ? say.withheld : phone(phoneNumber),
            owner && `(${say.own})`,
            hold && `· ${say.held}`,
            muted && `· ${say.muted}`,
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
          {say.history}
        </Button>
      ) : (
        <Text size="sm">{say.overBody}</Text>
      )}
    </Alert>
  )
}
