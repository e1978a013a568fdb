import { Anchor, List, Stack, Text, Title } from '@mantine/core'
import { Dialog } from '#parts/modal/dialog.tsx'
import { Link } from 'wouter'
import { Facts } from '#parts/value/facts.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, type ApiError } from '#api/client.ts'
import type { InputOf, OutputOf } from '#api/use-service.ts'

/** Details of one attempt. */
export const DeliveryDetails = ({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) => {
  const say = useText(text)
  return (
    <Dialog onClose={onClose} title={delivery.eventType} size="lg">
      <Stack>
        <Text c="dimmed">{say.stateHints[delivery.state]}</Text>
        <DeliveryFacts delivery={delivery} />
        {delivery.problems.length > 0 && (
          <div>
            <Title order={3} mb={4}>
              {say.problemList}
            </Title>
            <List>
              {delivery.problems.map(({ index, type, message }) => (
                <List.Item key={`${index} ${message}`}>
                  {index < 0 ? say.whole : say.action(index)}
                  {type === undefined ? '' : ` (${type})`}: {message}
                </List.Item>
              ))}
            </List>
          </div>
        )}
        <Anchor component={Link} href={`/calls/${delivery.sessionId}`}>
          {say.openCall}
        </Anchor>
      </Stack>
    </Dialog>
  )
}

const DeliveryFacts = ({ delivery }: { delivery: Delivery }) => {
  const say = useText(text)
  const format = useFormat()
  const { at, state, channel, attempt, status, error, durationMs, requestBytes, replyBytes, actions } = delivery
  return (
    <Facts
      across
      facts={[
        [say.at, <Time key="at" at={at} />],
        [say.state, say.states[state]],
        [say.error, error],
        [say.channel, say.channels[channel]],
        [say.attempt, attempt === 0 ? say.notTried : attempt],
        [say.status, status],
        [say.duration, `${durationMs} ms`],
        [say.sizes, `${format.bytes(requestBytes)} / ${format.bytes(replyBytes)}`],
        [say.actions, actions.join(', ') || say.none],
        [say.turn, delivery.turn],
        [say.sequence, delivery.sequence],
        [say.session, <code key="session">{delivery.sessionId}</code>],
        [say.eventId, <code key="event">{delivery.eventId}</code>],
      ]}
    />
  )
}

export type Delivery = OutputOf<'listDeliveries'>['items'][number]
type Filter = Pick<NonNullable<InputOf<'listDeliveries'>[0]>, 'state' | 'sessionId'>

const pageSize = 50

/** The log in pages, latest first; refreshed while open. */
export const useDeliveries = (aiFlowId: string, filter: Filter) => {
  const query = useInfiniteQuery<OutputOf<'listDeliveries'>, ApiError, { pages: OutputOf<'listDeliveries'>[] }, unknown[], string>({
    queryKey: ['listDeliveries', { aiFlowId, ...filter }],
    queryFn: ({ pageParam }) =>
      api.listDeliveries({ aiFlowId, ...filter, limit: pageSize, ...(pageParam !== '' && { before: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ items }) => (items.length < pageSize ? undefined : items.at(-1)?.id),
    refetchInterval: 5_000,
  })
  return { ...query, deliveries: query.data?.pages.flatMap(({ items }) => items) ?? [] }
}
