import { Alert, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { keep, kept } from '#api/kept.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import type { Flow } from '../parts/flow-state.tsx'
import { text } from './event-text.ts'
import { mayBeOfferedEvents } from './flow-form.ts'

/** Offers more events to a connected endpoint. Once declined it is not offered again in this browser. */
export const EventsOffer = ({ flow, onTake }: { flow: Flow; onTake: () => void }) => {
  const say = useText(text)
  const name = `events-declined.${flow.id}`
  const [declined, setDeclined] = useState(() => kept(name) !== undefined)
  if (declined || !mayBeOfferedEvents(flow)) return null
  const decline = (): void => {
    keep(name, 'yes')
    setDeclined(true)
  }
  return (
    <Alert color="blue" icon={<Icon name="bell" />} title={say.offer}>
      <Text size="sm" mb="sm">
        {say.offerHint}
      </Text>
      <Group gap="xs">
        <Button size="xs" onClick={onTake}>
          {say.take}
        </Button>
        <Button size="xs" variant="default" onClick={decline}>
          {say.decline}
        </Button>
      </Group>
    </Alert>
  )
}
