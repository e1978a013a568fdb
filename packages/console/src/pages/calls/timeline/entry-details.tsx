import { Stack, Text, Title } from '@mantine/core'
import type { TimelineEntry, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import { Fragment } from 'react'
import { BytesView, Pre } from '#lazy-parts/bytes-view.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text, type TimelineText } from './text.ts'
import type { TimelinePicture } from './timeline-book.ts'
import { dataOf, inLine, passagesOf, sourceOf } from './summarise.ts'

type EntryDetailsProps = { entry: TimelineEntry } & Pick<TimelinePicture, 'entries' | 'eventTypes'>

/** One entry in full. `entries`: all of the call, to find those of the same event. */
export const EntryDetails = ({ entry, entries, eventTypes }: EntryDetailsProps) => {
  const say = useText(text)
  const format = useFormat()
  const type = 'eventId' in entry && entry.eventId !== undefined ? eventTypes.get(entry.eventId) : undefined
  return (
    <Stack gap="md">
      <Title order={3}>
        {say.kinds[entry.kind]}
        {type !== undefined && `: ${type}`}
      </Title>
      <Facts
        across
        facts={[
          ...(entry.kind === 'attempt' ? attemptFacts(entry, say) : []),
          [say.time, `${format.clock(entry.at)}.${String(entry.at % 1000).padStart(3, '0')}`],
          [say.turn, 'turn' in entry ? entry.turn : undefined],
          [say.event, 'eventId' in entry ? entry.eventId : undefined],
        ]}
      />
      {entry.kind === 'attempt' ? (
        <AttemptBytes attempt={entry} />
      ) : entry.kind === 'event' ? (
        <EventDetails event={entry} entries={entries} />
      ) : entry.kind === 'message' ? (
        <BytesView title={say.response} bytes={entry} />
      ) : entry.kind === 'note' ? (
        <NoteDetails note={entry} />
      ) : (
        <Json value={entry.kind === 'action' ? entry.action : withoutPlace(entry)} />
      )}
    </Stack>
  )
}

const withoutPlace = ({ callId: _callId, sequence: _sequence, at: _at, flowId: _flowId, kind: _kind, ...rest }: TimelineEntry): unknown =>
  rest

const Json = ({ value }: { value: unknown }) => <Pre>{JSON.stringify(value, undefined, 2)}</Pre>

/** The event with its results. Prefers the raw exchange; without it, the known facts. */
const EventDetails = ({ event, entries }: { event: TimelineEntryOf<'event'>; entries: readonly TimelineEntry[] }) => {
  const say = useText(text)
  const itsOwn = entries.filter((entry) => 'eventId' in entry && entry.eventId === event.eventId)
  const attempts = itsOwn.filter((entry) => entry.kind === 'attempt')
  const messages = itsOwn.filter((entry) => entry.kind === 'message')
  const actions = itsOwn.filter((entry) => entry.kind === 'action')
  const isAnswerShown = attempts.some(({ response }) => response !== undefined) || messages.length > 0
  return (
    <>
      {attempts.every(({ request }) => request === undefined) && <Json value={event.body} />}
      {attempts.map((attempt) => (
        <Fragment key={attempt.sequence}>
          <Facts across facts={attemptFacts(attempt, say)} />
          <AttemptBytes attempt={attempt} />
        </Fragment>
      ))}
      {messages.map((message) => (
        <BytesView key={message.sequence} title={say.response} bytes={message} />
      ))}
      {!isAnswerShown && actions.length > 0 && <Title order={4}>{say.actionsOf}</Title>}
      {!isAnswerShown && actions.map(({ sequence, action }) => <Json key={sequence} value={action} />)}
    </>
  )
}

const attemptFacts = (attempt: TimelineEntryOf<'attempt'>, say: TimelineText): [name: string, value: string | undefined][] => [
  [say.state, [attempt.response?.status, say.states[attempt.state]].filter((one) => one !== undefined).join(' · ')],
  [say.duration, say.ms(String(attempt.durationMs))],
  [say.attempt, `${attempt.attempt} · ${say.channels[attempt.channel]}`],
  [say.error, attempt.error],
  [say.address, attempt.url],
]

const AttemptBytes = ({ attempt: { request, response, channel } }: { attempt: TimelineEntryOf<'attempt'> }) => {
  const say = useText(text)
  return (
    <>
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

/** A note of the assistant: a model request or a tool call with its exchange, or a lookup. */
const NoteDetails = ({ note }: { note: TimelineEntryOf<'note'> }) => {
  const say = useText(text)
  const { request, response, passages: _passages, ...facts } = dataOf(note)
  const passages = passagesOf(dataOf(note))
  if (Object.keys(dataOf(note)).length === 0) return note.data === undefined ? null : <Pre>{inLine(note.data)}</Pre>
  return (
    <>
      <Facts across facts={Object.entries(facts).map(([name, value]) => [say.notes.fields[name] ?? name, inLine(value)])} />
      {passages.map((passage, index) => (
        <Fragment key={index}>
          <Title order={4}>{sourceOf(passage)}</Title>
          <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
            {passage.text}
          </Text>
        </Fragment>
      ))}
      {request !== undefined && <Sent title={say.request} body={inLine(request)} />}
      {response !== undefined && <Sent title={say.response} body={inLine(response)} />}
    </>
  )
}

const Sent = ({ title, body }: { title: string; body: string }) => (
  <BytesView title={title} bytes={{ body, bodyBytes: new TextEncoder().encode(body).length }} />
)
