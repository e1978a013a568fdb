import { Text, Title } from '@mantine/core'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import { Fragment } from 'react'
import { BytesView, Pre } from '#lazy-parts/bytes-view.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { useText } from '#words/use-text.tsx'
import { dataOf, inLine, passagesOf, sourceOf } from './notes.ts'
import { text } from './text.ts'

/** What the assistant noted: a request to its model or a tool with what went to and fro, or what it looked up. */
export const NoteDetails = ({ note }: { note: TimelineEntryOf<'note'> }) => {
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
