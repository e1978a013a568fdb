import { Text } from '@mantine/core'
import { useRead, type OutputOf } from '#api/use-service.ts'
import { Section } from '#parts/page/section.tsx'
import { Matters, type Matter } from '#lazy-parts/matters.tsx'
import { useText } from '#words/use-text.tsx'
import { text, type Said } from './text.ts'

/** The form is with the other carrier, it does not answer, or the switch failed: what happens next is entered by hand. */
const waitingPortings: readonly number[] = [200, 251, 451]

/** What only the operator can put right. */
export const Attention = ({ nodes }: { nodes: OutputOf<'listNodes'>['items'] }) => {
  const say = useText(text)
  const every = 30_000
  const trunks = useRead('listTrunks', {}, { every })
  const letters = useRead('listDeadLetters', {}, { every })
  const orders = useRead('listAllSimOrders', { state: 'ORDERED' }, { every })
  const routes = useRead('listSmsRoutes', {}, { every })
  const portings = useRead('listAllPortings', {}, { every }).data?.items.filter(({ status }) => waitingPortings.includes(status))
  const matters = [
    ...nodes.filter(({ state }) => state === 'GONE').map(({ name }) => ({ words: say.nodeLost(name), to: '/operator/nodes' })),
    ...ofTrunks(trunks.data?.items, say),
    ...(routes.data?.items ?? []).filter(({ usable }) => !usable).map(({ name }) => ({ words: say.smsDown(name), to: '/operator/trunks' })),
    ...counted(letters.data?.items.length, say.lettersDead, '/operator/outbox'),
    ...counted(portings?.length, say.portingsWait, '/operator/portings'),
    ...counted(orders.data?.items.length, say.simsOrdered, '/operator/sims'),
  ]
  return (
    <Section title={say.waiting}>
      {matters.length === 0 ? (
        <Text size="sm" c="dimmed">
          {say.nothingWaits}
        </Text>
      ) : (
        <Matters matters={matters} />
      )}
    </Section>
  )
}

const ofTrunks = (trunks: OutputOf<'listTrunks'>['items'] | undefined, say: Said): Matter[] => {
  const to = '/operator/trunks'
  if (trunks === undefined) return []
  if (trunks.length === 0) return [{ words: say.noTrunk, to }]
  return trunks.filter(({ active, state }) => active && state?.usable === false).map(({ name }) => ({ words: say.trunkDown(name), to }))
}

const counted = (count: number | undefined, words: (n: number) => string, to: string): Matter[] =>
  count === undefined || count === 0 ? [] : [{ words: words(count), to }]
