import { useParams } from 'wouter'
import { useRead, type OutputOf } from '#api/use-service.ts'
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
import { NextSteps } from './next-steps.tsx'
import { text } from './text.ts'
import { Button, Group } from '@mantine/core'
import { api } from '#api/client.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { saveFile } from '#parts/list/list-bar.tsx'
import { useCountryName } from '#lazy-parts/country-select.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { refusals, wordsOfRefusal } from '#pages/account/portings/refusals.ts'
import { AccountLink } from '../parts/account-link.tsx'
import { text as sharedText } from '../parts/text.ts'
import { PortingState } from './porting-state.tsx'

/** One porting: its state, the next steps, its history. */
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

/** Documents of the customer, if any. */
export const Documents = ({ porting: { id, documents } }: { porting: OutputOf<'readPorting'> }) => {
  const say = useText(text)
  const { bytes } = useFormat()
  const toast = useToast()
  const save = async (documentId: string, name: string): Promise<void> => {
    const pdf = await api.readPortingDocument({ portingId: String(id), documentId })
    saveFile(name, new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }))
  }
  if (documents.length === 0) return null
  return (
    <Section title={say.documents}>
      <Group gap="xs">
        {documents.map(({ id: documentId, name, bytes: size }) => (
          <Button key={documentId} variant="default" size="sm" onClick={() => void save(documentId, name).catch(toast.failed)}>
            {say.openOf(name, bytes(size))}
          </Button>
        ))}
      </Group>
    </Section>
  )
}

export type Porting = OutputOf<'readPorting'>

export const PortingFacts = ({ porting }: { porting: Porting }) => {
  const say = useText(text)
  const { account } = useText(sharedText)
  const format = useFormat()
  const countryName = useCountryName()
  const known = useText(refusals)
  const { accountId, direction, carrier, holder, portDate, preAgreementId, reason, cancelRequested, status } = porting
  return (
    <Section title={say.facts}>
      <Facts
        facts={[
          [say.state, <PortingState key="state" status={status} />],
          [say.cancelWanted, cancelRequested ? say.cancelWantedWords : undefined],
          [say.reason, reason === '' ? undefined : wordsOfRefusal(reason, known).join(' ')],
          [say.direction, say.directions[direction]],
          [account, <AccountLink key="account" accountId={accountId} />],
          [say.carrier, carrier ?? say.unknownCarrier],
          [say.date, portDate === '' ? say.noDate : format.date(portDate)],
          [
            say.holder,
            `${holder.name}, ${holder.street} ${holder.number}, ${holder.postcode} ${holder.city}, ${countryName(holder.country)}`,
          ],
          [say.agreement, preAgreementId],
        ]}
      />
    </Section>
  )
}
