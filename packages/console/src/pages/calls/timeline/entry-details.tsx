import { Stack, Text, Title } from '@mantine/core'
import type { TimelineEntry, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import { Facts } from '../../../parts/facts.tsx'
import { useFormat } from '../../../parts/use-format.ts'
import { useText } from '../../../words/use-text.tsx'
import { BytesView } from './bytes-view.tsx'
import classes from './entries-view.module.css'
import { text } from './text.ts'

/** One entry in full. `entries`: all of the call, for what belongs to the same event. */
export const EntryDetails = ({ entry, entries }: { entry: TimelineEntry; entries: readonly TimelineEntry[] }) => {
  const say = useText(text)
  const format = useFormat()
  return (
    <Stack gap="md">
      <Title order={3}>
        {say.kinds[entry.kind]}
        {entry.kind === 'event' && `: ${entry.type}`}
      </Title>
      <Facts
        facts={[
          [say.time, `${format.clock(entry.at)}.${String(entry.at % 1000).padStart(3, '0')}`],
          [say.turn, 'turn' in entry ? entry.turn : undefined],
          [say.event, 'eventId' in entry ? entry.eventId : undefined],
        ]}
      />
      {entry.kind === 'attempt' ? (
        <AttemptDetails attempt={entry} />
      ) : entry.kind === 'event' ? (
        <EventDetails event={entry} entries={entries} />
      ) : entry.kind === 'message' ? (
        <BytesView title={say.response} bytes={entry} />
      ) : (
        <Json value={entry.kind === 'action' ? entry.action : withoutPlace(entry)} />
      )}
    </Stack>
  )
}

const withoutPlace = ({ callId: _callId, sequence: _sequence, at: _at, flowId: _flowId, kind: _kind, ...rest }: TimelineEntry): unknown =>
  rest

const Json = ({ value }: { value: unknown }) => (
  <pre className={classes.pre} tabIndex={0}>
    {JSON.stringify(value, undefined, 2)}
  </pre>
)

const EventDetails = ({ event, entries }: { event: TimelineEntryOf<'event'>; entries: readonly TimelineEntry[] }) => {
  const say = useText(text)
  const itsOwn = entries.filter((entry) => 'eventId' in entry && entry.eventId === event.eventId)
  const attempts = itsOwn.filter((entry) => entry.kind === 'attempt')
  const messages = itsOwn.filter((entry) => entry.kind === 'message')
  const actions = itsOwn.filter((entry) => entry.kind === 'action')
  return (
    <>
      <Json value={event.body} />
      {actions.length > 0 && <Title order={4}>{say.actionsOf}</Title>}
      {actions.map(({ sequence, action }) => (
        <Json key={sequence} value={action} />
      ))}
      {attempts.length > 0 && <Title order={4}>{say.attemptsOf}</Title>}
      {attempts.map((attempt) => (
        <AttemptDetails key={attempt.sequence} attempt={attempt} />
      ))}
      {messages.map((message) => (
        <BytesView key={message.sequence} title={say.response} bytes={message} />
      ))}
    </>
  )
}

const AttemptDetails = ({ attempt }: { attempt: TimelineEntryOf<'attempt'> }) => {
  const say = useText(text)
  const { request, response, error, state, channel, url, durationMs } = attempt
  return (
    <>
      <Facts
        facts={[
          [say.attempt, `${attempt.attempt} · ${say.channels[channel]}`],
          [say.address, url],
          [say.state, [response?.status, say.states[state]].filter((one) => one !== undefined).join(' · ')],
          [say.duration, say.ms(String(durationMs))],
          [say.error, error],
        ]}
      />
      {request && <BytesView title={say.request} bytes={request} />}
      {response && <BytesView title={say.response} bytes={response} />}
      {request && !response && channel !== 'websocket' && (
        <Text size="sm" c="dimmed">
          {say.noResponse}
        </Text>
      )}
    </>
  )
}
