import { Stack, Text } from '@mantine/core'
import { useCallback, useEffect, useRef, useState, useMemo } from 'react'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { TimelineView } from '#pages/calls/timeline/timeline-view.tsx'
import { useLiveTimeline } from '#pages/calls/timeline/use-timeline.ts'
import { Phone } from '#pages/talk/phone.tsx'
import { PhoneState } from '#pages/talk/talk-page.tsx'
import { useTalk } from '#pages/talk/talk-page.tsx'
import { isBusy } from '#pages/talk/talk.ts'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { usePrice } from '#lazy-parts/use-price.ts'
import { text } from './text.ts'
import { type TurnFigures, figuresOf, sumOf } from './turn-figures.ts'

/** A telephone next to the form that calls the draft. */
export const TrialPanel = ({ flowId, saveFirst }: { flowId: string; saveFirst: () => Promise<boolean> }) => {
  const say = useText(text)
  const { talk, view } = useTalk()
  const [saves, setSaves] = useState(false)
  const callId = view.state === 'idle' || view.state === 'connecting' ? undefined : view.callId
  const { picture, feed } = useLiveTimeline(callId)
  const busy = isBusy(view)
  const call = async (silently: boolean): Promise<void> => {
    setSaves(true)
    const isSaved = await saveFirst()
    setSaves(false)
    if (isSaved) await talk.call(flowId, { silently, draft: true })
  }
  // A stable function: the telephone is not rendered on every event.
  const latest = useRef(call)
  useEffect(() => {
    latest.current = call
  })
  const onCall = useCallback((silently: boolean) => void latest.current(silently), [])
  return (
    <>
      <Section title={say.try} description={say.tryHint} actions={<PhoneState view={view} />}>
        <Stack gap="md">
          <Phone talk={talk} view={view} onCall={onCall} explanation={picture.ended?.explanation} summary={undefined} />
          <div role="status">{saves && <Text size="sm">{say.saves}</Text>}</div>
        </Stack>
      </Section>
      {callId !== undefined && (
        <>
          <Section title={say.answers} flush>
            <TurnTable entries={picture.entries} />
          </Section>
          <Section flush>
            <TimelineView picture={picture} own {...(busy && { feed })} />
          </Section>
        </>
      )}
    </>
  )
}

/** Wait and cost of each answer. */
const TurnTable = ({ entries }: { entries: readonly TimelineEntry[] }) => {
  const say = useText(text)
  const { number } = useFormat()
  const price = usePrice()
  const turns = useMemo(() => figuresOf(entries), [entries])
  const ms = (value: number | undefined): string => (value === undefined ? '–' : `${number(value)} ms`)
  const columns: Column<TurnFigures>[] = [
    { key: 'said', header: say.turn, cell: ({ said, turn }) => said || (turn === 0 ? say.greeting : '–'), breaks: true },
    { key: 'sound', header: say.heardAfter, cell: ({ firstSoundMs }) => ms(firstSoundMs), align: 'right' },
    { key: 'token', header: say.firstToken, cell: ({ firstTokenMs }) => ms(firstTokenMs), align: 'right' },
    { key: 'tokens', header: say.tokens, cell: ({ tokens }) => (tokens === 0 ? '–' : number(tokens)), align: 'right' },
    { key: 'cost', header: say.cost, cell: ({ cost }) => price(cost) ?? '–', align: 'right' },
  ]
  const tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0)
  return (
    <>
      <List
        name="turns"
        label={say.answers}
        rows={turns}
        columns={columns}
        rowKey={({ turn }) => `${turn}`}
        empty={
          <Text size="sm" c="dimmed" p="md">
            {say.noAnswers}
          </Text>
        }
      />
      {tokens > 0 && (
        <Text size="sm" p="md" role="status">
          {say.total(number(tokens), price(sumOf(turns.map(({ cost }) => cost))))}
        </Text>
      )}
    </>
  )
}
