import { useParams } from 'wouter'
import { useRead } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { Actor } from '#parts/value/actor.tsx'
import { isPortingStatus, placeOnTrack } from '#pages/account/portings/porting-track.ts'
import { text as customerText } from '#pages/account/portings/text.ts'
import { Track } from '#pages/account/parts/track.tsx'
import { wordFor } from '../parts/word-for.ts'
import { Documents } from './documents.tsx'
import { NextSteps } from './next-steps.tsx'
import { text } from './text.ts'
import { type Porting, PortingFacts } from './porting-facts.tsx'

/** One porting: where it stands, what may happen next, what happened. */
export const PortingPage = () => {
  const say = useText(text)
  const format = useFormat()
  const { portingId = '' } = useParams()
  const porting = useRead('readPorting', { portingId }, { every: 10_000 })
  const title = porting.data?.numbers.map(({ number }) => format.phone(number)).join(', ') ?? portingId
  return (
    <Page title={title} back={{ to: '/operator/portings', label: say.back }}>
      <Loaded query={porting}>
        {(found) => (
          <>
            <Way porting={found} title={title} />
            <PortingFacts porting={found} />
            <Documents porting={found} />
            <NextSteps porting={found} />
            <History porting={found} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** As the customer sees it. */
const Way = ({ porting: { status, direction, portDate }, title }: { porting: Porting; title: string }) => {
  const say = useText(text)
  const { steps } = useText(customerText)
  const { date } = useFormat()
  if (!isPortingStatus(status) || status === 600) return null
  const placed = placeOnTrack(status).map(({ name, state }) => ({
    key: name,
    label: name === 'complete' && direction === 'OUT' ? say.gone : steps[name],
    state,
    note: name === 'complete' && portDate !== '' ? date(portDate) : undefined,
  }))
  return (
    <Section>
      <Track label={say.way(title)} steps={placed} />
    </Section>
  )
}

const History = ({ porting: { events } }: { porting: Porting }) => {
  const say = useText(text)
  const { states } = useText(customerText)
  const columns: Column<Porting['events'][number]>[] = [
    { key: 'event', header: say.event, cell: ({ event }) => wordFor(say.events, event) },
    { key: 'at', header: say.at, value: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
    { key: 'to', header: say.to, cell: ({ to }) => wordFor(states, to) },
    { key: 'codes', header: say.codes, cell: ({ codes }) => codes.join(' ') || '–', wideOnly: true },
    { key: 'actor', header: say.actor, cell: ({ actor }) => <Actor name={actor} /> },
  ]
  return (
    <Section title={say.history} flush>
      <List name="history" label={say.history} rows={events} columns={columns} rowKey={({ at, event }) => `${at} ${event}`} empty={null} />
    </Section>
  )
}
