import { Button } from '@mantine/core'
import { Link, useParams } from 'wouter'
import { useRead, type OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumber, Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { Outcome } from './outcome.tsx'
import { text } from './text.ts'

type Call = OutputOf<'readCall'>
type Entry = Call['entries'][number]

/** One call of an account, without its words. */
export const CallPage = () => {
  const say = useText(text)
  const { accountId = '', callId = '' } = useParams()
  const call = useRead('readCall', { accountId, callId: decodeURIComponent(callId) })
  const open = (
    <Button component={Link} href={`/operator/accounts/${accountId}`} variant="default">
      {say.openAccount}
    </Button>
  )
  return (
    <Page title={say.call} actions={open}>
      <Loaded query={call}>{(found) => <CallView call={found} />}</Loaded>
    </Page>
  )
}

const CallView = ({ call }: { call: Call }) => {
  const say = useText(text)
  const trunk = useRead('listTrunks').data?.items.find(({ id }) => id === call.trunkId)
  const describe = useDescription()
  const columns: Column<Entry>[] = [
    { key: 'at', header: say.started, value: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
    { key: 'what', header: say.what, value: describe, wraps: true },
  ]
  return (
    <>
      <Section>
        <Facts
          facts={[
            [say.started, <Time key="at" at={call.startedAt} />],
            [say.from, call.from === undefined ? say.unknown : <PhoneNumber key="from" number={call.from} />],
            [say.to, call.to === undefined ? say.unknown : <PhoneNumber key="to" number={call.to} />],
            [say.ended, <Outcome key="end" call={call} />],
            [say.account, call.company],
            [say.trunk, trunk?.name ?? '–'],
            [say.callId, call.callId],
          ]}
        />
      </Section>
      <Section title={say.what} flush>
        <List label={say.what} rows={call.entries} columns={columns} rowKey={({ sequence }) => String(sequence)} empty={say.unknown} />
      </Section>
    </>
  )
}

const useDescription = (): ((entry: Entry) => string) => {
  const say = useText(text)
  const { number } = useFormat()
  const states: Readonly<Record<string, string>> = say.states
  return (entry) => {
    if (entry.kind === 'call') return states[entry.state] ?? entry.state
    if (entry.kind === 'sound') return `${say.sound[entry.of]} ${entry.state === 'heard' ? say.heard : say.notHeard}`
    const { of, packetsLost, packetsReceived, jitterMs } = entry
    const lossPercent = (100 * packetsLost) / Math.max(1, packetsLost + packetsReceived)
    return `${say.sound[of]}: ${say.loss(number(lossPercent, 1), number(jitterMs))}`
  }
}
