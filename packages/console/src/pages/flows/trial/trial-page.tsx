import { Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useWrite, type InputOf } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { FlowFrame } from '../parts/flow-frame.tsx'
import type { Flow } from '../parts/flow-state.tsx'
import { extendedEvents } from '../settings/flow-form.ts'
import { text } from './text.ts'
import { TrialResult } from './trial-result.tsx'

type Input = InputOf<'testFlow'>[1]
type EventName = NonNullable<Input['event']>
type Channel = NonNullable<Input['channel']>

const events: readonly EventName[] = ['session_start', 'user_speak', 'assistant_speak', 'session_end', ...extendedEvents]

/** Sends one event to the endpoint and shows the result. */
export const TrialPage = () => <FlowFrame tab="test">{(flow) => <Trial key={flow.id} flow={flow} />}</FlowFrame>

const channelsOf = ({ webhookUrl, websocketUrl, fallbackUrl, listener }: Flow): Channel[] => [
  ...(listener ? (['listener'] as const) : []),
  ...(websocketUrl === undefined ? [] : (['websocket'] as const)),
  ...(webhookUrl === undefined ? [] : (['webhook'] as const)),
  ...(fallbackUrl === undefined ? [] : (['fallback'] as const)),
]

const Trial = ({ flow }: { flow: Flow }) => {
  const say = useText(text)
  const [event, setEvent] = useState<EventName>('session_start')
  const [channel, setChannel] = useState<Channel | ''>('')
  const [words, setWords] = useState('')
  const trial = useWrite('testFlow')
  const send = (): void => {
    const spoken = words.trim() || say.textUsual
    trial.mutate([{ aiFlowId: flow.id }, { event, ...(event === 'user_speak' && { text: spoken }), ...(channel !== '' && { channel }) }])
  }
  const choices = [{ value: '', label: say.channels.usual }, ...channelsOf(flow).map((value) => ({ value, label: say.channels[value] }))]
  return (
    <>
      <Section title={say.title} description={say.about}>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <NativeSelect
              label={say.event}
              data={[...events]}
              value={event}
              onChange={({ currentTarget }) => setEvent(currentTarget.value as EventName)}
            />
            <NativeSelect
              label={say.channel}
              data={choices}
              value={channel}
              onChange={({ currentTarget }) => setChannel(currentTarget.value as Channel | '')}
            />
          </SimpleGrid>
          {event === 'user_speak' && (
            <TextInput
              label={say.text}
              placeholder={say.textUsual}
              value={words}
              maxLength={2000}
              onChange={({ currentTarget }) => setWords(currentTarget.value)}
            />
          )}
          <ErrorNotice error={trial.error} />
          <Group>
            <Button leftSection={<Icon name="send" size={16} />} onClick={send} loading={trial.isPending}>
              {say.send}
            </Button>
            <Text size="sm" c="dimmed" role="status">
              {trial.isPending && say.waiting}
            </Text>
          </Group>
        </Stack>
      </Section>
      <div aria-live="polite">{trial.data && <TrialResult trial={trial.data} />}</div>
    </>
  )
}
